
#if (defined(_GNU_SOURCE) || defined(_BSD_SOURCE)) && !defined(ACCESSPERMS)
#define ACCESSPERMS 0777
#define ALLPERMS 07777
#define DEFFILEMODE 0666
#endif
