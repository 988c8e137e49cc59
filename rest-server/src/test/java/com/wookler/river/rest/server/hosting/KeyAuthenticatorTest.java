package com.wookler.river.rest.server.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyAuthenticatorTest {
  private static final FileTime LATER = FileTime.from(Instant.parse("2040-01-01T00:00:00Z"));

  @TempDir Path directory;

  private void write(Path path, String text) throws IOException {
    Files.writeString(path, text);
    Files.setLastModifiedTime(path, LATER);
  }

  /** A revoked key would stay valid until the file is changed another time. */
  @Test
  void shouldReadAgainWhatCouldNotBeRead() throws IOException {
    KeyFile file = new KeyFile(directory.resolve("keys.json"));
    List<String> none = List.of();
    file.add("first", none, none, List.of("*"), none);
    String text = Files.readString(file.path());
    KeyAuthenticator keys = new KeyAuthenticator(file, TimeSource.system());
    write(file.path(), text.replace('{', ' '));
    assertThat(keys.refresh()).isFalse();
    write(file.path(), text.replace("first", "other")); // the same size, time and file
    assertThat(keys.refresh()).isTrue();
    assertThat(keys.refresh()).isFalse();
    assertThat(keys.all()).extracting(Access::name).containsExactly("other");
  }
}
