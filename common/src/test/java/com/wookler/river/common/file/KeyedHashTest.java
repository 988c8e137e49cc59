package com.wookler.river.common.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeyedHashTest {
  @Test
  void shouldHashAsThePaperDoes() {
    KeyedHash hash = new KeyedHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
    byte[] data = new byte[64];
    for (int i = 0; i < data.length; i++) {
      data[i] = (byte) i;
    }
    assertThat(hash.of(data, 0)).isEqualTo(0x726fdb47dd0e0e31L);
    assertThat(hash.of(data, 8)).isEqualTo(0x93f5f5799a932462L);
    assertThat(hash.of(data, 15)).isEqualTo(0xa129ca6149be45e5L);
    assertThat(hash.of(data, 16)).isEqualTo(0x3f2acc7f57c29bdbL);
  }
}
