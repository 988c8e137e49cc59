package com.wookler.river.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamesTest {
  private static final String APPEND = "com.wookler.river.core.log.DiskLog.append";

  @ParameterizedTest
  @CsvSource({
    "PUBLISHER-3, PUBLISHER",
    "CONSUMER, CONSUMER",
    "POOL-bench-THREAD-12, POOL-bench-THREAD",
    "Thread-7 (a.b.Server$6@4b2af), Thread (a.b.Server)",
    "42, 42"
  })
  void shouldNameThreadsOfAKindAlike(String thread, String name) {
    assertThat(Names.ofThreads(thread)).isEqualTo(name);
  }

  @ParameterizedTest
  @CsvSource({
    "a.B, a.B.run",
    "a.B$$Lambda$14/0x0000000800c03000, a.B$$Lambda.run",
    "a.B$$Lambda+0x00007f1234/12, a.B$$Lambda.run",
    "a.LambdaForm$MH.0x0000000800c03000, a.LambdaForm$MH.run"
  })
  void shouldNameClassesMadeAtRunTimeAlike(String type, String name) {
    assertThat(Names.ofFrame(type, "run")).isEqualTo(name);
  }

  @ParameterizedTest
  @CsvSource({
    "24, c.w.r.c.l.DiskLog.append",
    "23, DiskLog.append",
    "14, DiskLog.append",
    "13, DiskLog.app..",
    "3, D..",
    "2, ''",
    "-1, ''"
  })
  void shouldSayAsMuchAsFits(int characters, String text) {
    assertThat(Names.fit(APPEND, characters)).isEqualTo(text);
  }

  @Test
  void shouldFitNamesWithoutPackages() {
    assertThat(Names.fit("PUBLISHER", 20)).isEqualTo("PUBLISHER");
  }
}
