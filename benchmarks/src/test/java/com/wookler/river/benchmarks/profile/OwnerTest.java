package com.wookler.river.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnerTest {
  @ParameterizedTest
  @CsvSource({
    "com.wookler.river.core.MessageQueue.open, RIVER",
    "com.wookler.river.benchmarks.load.Publishing.run, HARNESS",
    "net.openhft.chronicle.bytes.Bytes.write, CHRONICLE",
    "java.lang.Thread.run, JDK",
    "sun.nio.ch.FileChannelImpl.map, JDK",
    "org.rocksdb.RocksDB.put, OTHER"
  })
  void shouldKnowWhoseCodeAFrameIs(String frame, Owner owner) {
    assertThat(Owner.of(frame)).isEqualTo(owner);
  }
}
