package com.wookler.river.rest.server.hosting;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.settings.Settings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Stores the settings of the queues that requests created, one file for each queue: {@code
 * .server/queues/NAME.json} in the directory of the queues, whose names never begin with a dot.
 * Files are written atomically. Not thread-safe.
 */
final class SettingsFiles {
  private static final String END = ".json";

  private final Path directory;

  SettingsFiles(Path base) {
    directory = base.resolve(".server").resolve("queues");
  }

  /** Returns all settings, by the queues' names. */
  Map<String, Settings> all() {
    Map<String, Settings> all = new TreeMap<>();
    if (!Files.isDirectory(directory)) {
      return all;
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(each -> each.toString().endsWith(END)).toList()) {
        String name = String.valueOf(file.getFileName());
        all.put(name.substring(0, name.length() - END.length()), read(file));
      }
      return all;
    } catch (IOException e) {
      throw new RiverException("cannot read the settings of queues in " + directory, e);
    }
  }

  private static Settings read(Path file) throws IOException {
    try {
      return SettingsJson.QUEUE.read(Json.read(Files.readAllBytes(file), ObjectNode.class));
    } catch (RequestException e) {
      throw new RiverException(
          file
              + ": "
              + e.field()
              + " "
              + e.detail()
              + "; repair it, or remove it together with its queue",
          e);
    }
  }

  /** Writes the settings of a queue; they are durable when it returns. */
  void write(String queue, Settings settings) {
    Path file = directory.resolve(queue + END);
    Path half = directory.resolve(queue + END + ".tmp");
    try {
      Files.createDirectories(directory);
      try (FileChannel out =
          FileChannel.open(
              half,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        ByteBuffer bytes = ByteBuffer.wrap(Json.write(SettingsJson.QUEUE.given(settings)));
        while (bytes.hasRemaining()) {
          out.write(bytes);
        }
        out.force(true);
      }
      Files.move(half, file, StandardCopyOption.ATOMIC_MOVE);
      force();
    } catch (IOException e) {
      throw new RiverException("cannot write the settings of queue " + queue + " in " + file, e);
    }
  }

  void delete(String queue) {
    try {
      Files.deleteIfExists(directory.resolve(queue + END));
      force();
    } catch (IOException e) {
      throw new RiverException("cannot remove the settings of queue " + queue, e);
    }
  }

  /** Forces the directory itself, if the system can. */
  private void force() throws IOException {
    try (FileChannel opened = FileChannel.open(directory, StandardOpenOption.READ)) {
      opened.force(true);
    } catch (java.nio.file.AccessDeniedException e) {
      // Windows cannot open directories
    }
  }
}
