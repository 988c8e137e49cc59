package com.wookler.river.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.benchmarks.report.Row;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every part with tiny counts; each fails by itself if a message is missing or comes twice. */
class PartsTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "blocks, 9",
    "subscribers, 6",
    "backlog, 6",
    "acks, 6",
    "restart, 4",
    "reopen, 1",
    "redelivery, 2",
    "queues, 10",
    "archive, 6",
    "pauses, 6"
  })
  void shouldMeasureAndCountRight(String name, int lines) throws Exception {
    List<Row> rows = Parts.named(name).measure(new Lab(directory, Lab.Extent.QUICK, 1));
    assertThat(rows).hasSize(lines).extracting(Row::line).doesNotHaveDuplicates();
    assertThat(rows)
        .allSatisfy(
            row -> {
              assertThat(row.table()).isEqualTo(Lab.TABLE);
              assertThat(row.median()).isFinite().isBetween(row.min(), row.max());
              assertThat(row.note()).isNotEmpty();
            });
  }
}
