package com.wookler.river.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills an application while it publishes and listens, and starts it again. */
class RiverKillTest {
  @TempDir Path directory;

  private Set<Integer> numbers(String file) throws IOException {
    Set<Integer> all = new HashSet<>();
    Path path = directory.resolve(file);
    if (Files.exists(path)) {
      String text = Files.readString(path);
      text.substring(0, text.lastIndexOf('\n') + 1)
          .lines()
          .map(Integer::parseInt)
          .forEach(all::add);
    }
    return all;
  }

  @Test
  @Tag("full")
  void shouldHandleEachOrderWhateverIsKilled() throws Exception {
    int kills = Integer.getInteger("river.spring.kills", 3);
    Random random = new Random(1);
    int from = 0;
    for (int i = 0; i < kills; i++) {
      int begin = from;
      Process process = KilledApplication.start(directory, begin);
      try {
        await()
            .until(
                () -> {
                  assertThat(process.isAlive()).as("%s", log()).isTrue();
                  return numbers("published").contains(begin + random.nextInt(50));
                });
      } finally {
        process.destroyForcibly();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
      }
      // the last one may be published without being written down
      from = numbers("published").stream().mapToInt(Integer::intValue).max().orElse(from) + 2;
    }
    Set<Integer> published = numbers("published");
    Process last = KilledApplication.start(directory, from);
    try {
      await().until(() -> numbers("processed").containsAll(published));
    } finally {
      last.destroyForcibly();
      last.waitFor();
    }
    assertThat(published).hasSizeGreaterThan(kills);
  }

  private String log() {
    try {
      return Files.readString(directory.resolve("log"));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
