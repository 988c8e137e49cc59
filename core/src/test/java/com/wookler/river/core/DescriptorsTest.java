package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A process in which no file can be opened: nothing is lost, nothing stops, nothing is damaged. */
@Timeout(120)
class DescriptorsTest {
  @TempDir Path directory;

  @Tag("full")
  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void shouldGoOnWhenThereAreDescriptorsAgain() throws Exception {
    Path output = directory.resolve("output");
    Process child =
        new ProcessBuilder(
                "sh",
                "-c",
                "ulimit -n 256; exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-MaxFDLimit",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                DescriptorsChild.class.getName(),
                directory.resolve("data").toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      child.waitFor();
    } finally {
      child.destroyForcibly();
    }
    assertThat(Files.readString(output)).contains("all is well").doesNotContain("has failed");
    assertThat(child.exitValue()).isZero();
  }
}
