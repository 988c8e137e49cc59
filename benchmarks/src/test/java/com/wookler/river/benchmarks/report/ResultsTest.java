package com.wookler.river.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsTest {
  @TempDir Path directory;

  @Test
  void shouldReadWhatItWrote() throws IOException {
    Map<String, Double> extra = new LinkedHashMap<>();
    extra.put("z", 1.0);
    extra.put("a", 2.0);
    Run run =
        new Run(
            "./river bench",
            Instant.parse("2026-11-20T10:00:00Z"),
            Machine.here(directory),
            List.of(
                new Row(
                    "publish",
                    "one",
                    "river",
                    "msg/s",
                    2,
                    1,
                    3,
                    new Ratio("chronicle", 1.5, 1, 2),
                    extra,
                    "as it comes"),
                new Row("publish", "one", "chronicle", "msg/s", 2, 1, 3, null, Map.of(), "")));
    Path file = directory.resolve("results").resolve("publish.json");

    Results.write(file, run);

    assertThat(Results.read(file)).isEqualTo(run);
    assertThat(Results.read(file).rows().get(0).extra()).containsExactlyEntriesOf(extra);
    assertThat(Results.readAll(file.getParent())).containsExactly(run);
  }

  @Test
  void shouldFindNothingWhereNothingIs() throws IOException {
    assertThat(Results.readAll(directory.resolve("none"))).isEmpty();
  }
}
