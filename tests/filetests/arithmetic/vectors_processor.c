// What the processor's own headers make of vectors, and its checksum instructions.
#include <nmmintrin.h>
#include <stdio.h>

__attribute__((target("sse4.2"))) static unsigned long checksums(unsigned long start) {
  unsigned crc = _mm_crc32_u8(start, 'x');
  crc = _mm_crc32_u16(crc, 0x1234);
  crc = _mm_crc32_u32(crc, 0x12345678);
  return _mm_crc32_u64(crc, 0x123456789abcdef0);
}

/* How many bytes there are before the first of its kind. */
static int find(const char *text, char wanted) {
  __m128i block = _mm_loadu_si128((const __m128i *)text);
  int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(wanted)));
  return mask ? __builtin_ctz(mask) : -1;
}

int main(int argc, char **argv) {
  (void)argv;
  char text[16] = "vectors of bytes";
  printf("%d %d %d\n", find(text, 'o'), find(text, 's'), find(text, 'z'));
  printf("%lx %lx\n", checksums(0), checksums(argc));
  __m128d pair = _mm_set_pd(-1.5, argc);
  __m128 four = _mm_set_ps(-1, 2, -3, argc);
  printf("%d %d\n", _mm_movemask_pd(pair), _mm_movemask_ps(four));
  __m128i words = _mm_add_epi32(_mm_set1_epi32(argc), _mm_setr_epi32(1, 2, 3, 4));
  words = _mm_unpackhi_epi32(words, _mm_slli_epi32(words, 4));
  printf("%d %d\n", _mm_cvtsi128_si32(words), _mm_cvtsi128_si32(_mm_srli_si128(words, 12)));
  for (int count = 0; count < 40; count += 13) {
    __m128i left = _mm_slli_epi16(words, count), right = _mm_srli_epi64(words, count);
    __m128i sum = _mm_add_epi32(left, _mm_xor_si128(right, _mm_srai_epi32(_mm_set1_epi32(-77), count)));
    printf("%x %x\n", _mm_cvtsi128_si32(sum), _mm_cvtsi128_si32(_mm_srli_si128(sum, 4)));
  }
  return 0;
}
