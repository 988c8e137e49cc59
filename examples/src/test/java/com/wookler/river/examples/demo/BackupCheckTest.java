package com.wookler.river.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupCheckTest {
  @TempDir Path directory;

  @Test
  void shouldCountWhileBackupsAreBeingMade() throws Exception {
    Path day = Files.createDirectories(directory.resolve("2026/11/21"));
    for (int i = 0; i < 20; i++) {
      Files.createFile(day.resolve("b%08d.cq4.zst".formatted(i)));
    }
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> making = CompletableFuture.runAsync(() -> makeAndRemove(day, over));
    try {
      for (int i = 0; i < 2_000; i++) {
        assertThat(BackupCheck.count(directory)).isEqualTo(20);
      }
    } finally {
      over.set(true);
      making.get(60, TimeUnit.SECONDS);
    }
    assertThat(BackupCheck.count(directory.resolve("none"))).isZero();
  }

  private static void makeAndRemove(Path day, AtomicBoolean over) {
    try {
      while (!over.get()) {
        for (int i = 0; i < 20; i++) {
          Files.createFile(day.resolve(i + ".seal.tmp"));
        }
        for (int i = 0; i < 20; i++) {
          Files.delete(day.resolve(i + ".seal.tmp"));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
