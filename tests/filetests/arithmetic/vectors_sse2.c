// Saturation, averages, sums of products and of differences: instructions of SSE2 that have no operator.
#include <emmintrin.h>
#include <stdio.h>

static void show(const char *name, __m128i value) {
  unsigned words[4];
  _mm_storeu_si128((__m128i *)words, value);
  printf("%s %08x %08x %08x %08x\n", name, words[3], words[2], words[1], words[0]);
}

int main(int argc, char **argv) {
  (void)argv;
  __m128i a = _mm_set_epi16(-32768, 32767, 300, -300, 255, 127, -1, (short)(argc * 1000));
  __m128i b = _mm_set_epi16(7, -7, 1000, 256, -129, 128, 0, 32000);
  __m128i wide = _mm_set_epi32(-70000, 70000, 32767, argc);
  show("packs_epi16", _mm_packs_epi16(a, b));
  show("packus_epi16", _mm_packus_epi16(a, b));
  show("packs_epi32", _mm_packs_epi32(wide, b));
  show("avg_epu8", _mm_avg_epu8(a, b));
  show("avg_epu16", _mm_avg_epu16(a, b));
  show("mulhi_epi16", _mm_mulhi_epi16(a, b));
  show("mulhi_epu16", _mm_mulhi_epu16(a, b));
  show("madd_epi16", _mm_madd_epi16(a, b));
  show("sad_epu8", _mm_sad_epu8(a, b));
  show("min_max", _mm_max_epi16(_mm_min_epu8(a, b), wide));
  _mm_sfence();
  _mm_pause();
  return 0;
}
