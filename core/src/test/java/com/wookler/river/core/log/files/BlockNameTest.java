package com.wookler.river.core.log.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockNameTest {
  private static final Path LOG = Path.of("log");

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 42, 99_999_999, 100_000_000, Integer.MAX_VALUE})
  void shouldFindTheNumberOfEachName(int block) {
    assertThat(BlockName.number(BlockName.data(LOG, block))).hasValue(block);
    assertThat(BlockName.sealNumber(BlockName.seal(LOG, block))).hasValue(block);
    assertThat(BlockName.misplacedNumber(BlockName.misplaced(LOG, block))).hasValue(block);
    assertThat(BlockName.number(BlockName.seal(LOG, block))).isEmpty();
    assertThat(BlockName.number(BlockName.misplaced(LOG, block))).isEmpty();
    assertThat(BlockName.number(BlockName.ahead(LOG, block))).isEmpty();
    assertThat(BlockName.sealNumber(BlockName.data(LOG, block))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".cq4",
        "b.cq4",
        "b0000001.cq4",
        "b00000000001.cq4",
        "b2147483648.cq4",
        "c00000001.cq4",
        "B00000001.cq4",
        "b0000000x.cq4",
        "b0000000/.cq4",
        "b0000000:.cq4",
        "b-0000001.cq4",
        "b00000001.cq4t",
        "b00000001.CQ4",
        "b00000001.cq4.damaged",
        "b٠٠٠٠٠٠٠١.cq4"
      })
  void shouldFindNoneInOthers(String name) {
    assertThat(BlockName.number(Path.of(name))).isEmpty();
  }

  @Test
  void shouldFindNoneInARoot() {
    assertThat(BlockName.number(Path.of("/"))).isEmpty();
  }
}
