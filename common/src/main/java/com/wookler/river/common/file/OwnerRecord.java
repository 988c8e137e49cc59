package com.wookler.river.common.file;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.errors.DamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which process has a queue's directory open, kept in it as {@code owner}:
 *
 * <pre>
 *  {"format":1,"host":"…","machine":"…","pid":4711,"started":118175,
 *   "lock":"(dev=fe01,ino=42)","token":"…","check":"…"}
 * </pre>
 *
 * <p>The file has {@value #BYTES} bytes, filled up with spaces, and is written over in place, so
 * that it takes no new space on a full disk. A closed queue has one with process id 0.
 *
 * @param host for people
 * @param machine within which process ids mean something: boot id and pid namespace
 * @param started when the process was started, in a unit of the system's
 * @param lock identifies the file {@code LOCK} beside it: a copied directory has another
 * @param token random, another at each opening
 */
public record OwnerRecord(
    String host, String machine, long pid, long started, String lock, String token) {
  /** The name of the file. */
  public static final String FILE = "owner";

  private static final int BYTES = 1024;
  private static final int FORMAT = 1;
  private static final int STARTED_FIELD = 19; // of /proc/<pid>/stat, after the name; see proc(5)
  private static final String HOST = hostName();
  private static final String MACHINE = machineName();

  /** Returns a new record of this process, for the lock of the file of this key. */
  public static OwnerRecord ofThisProcess(String lock) {
    long pid = ProcessHandle.current().pid();
    return new OwnerRecord(HOST, MACHINE, pid, startOf(pid), lock, UUID.randomUUID().toString());
  }

  /** Returns what the file in this directory says; null if there is none, or none that is whole. */
  public static @Nullable OwnerRecord read(Path directory) throws IOException {
    try {
      ObjectNode json = CheckedJson.read(directory.resolve(FILE));
      if (!CheckedJson.isWhole(json) || json.path("format").asInt() != FORMAT) {
        return null;
      }
      return new OwnerRecord(
          json.path("host").asText(),
          json.path("machine").asText(),
          json.path("pid").asLong(),
          json.path("started").asLong(),
          json.path("lock").asText(),
          json.path("token").asText());
    } catch (NoSuchFileException | DamagedException e) {
      return null;
    }
  }

  /** Writes it into the directory, which the caller keeps to itself. */
  public void write(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      DurableFiles.create(file).close();
    }
    ObjectNode json = CheckedJson.object(FORMAT);
    json.put("host", host).put("machine", machine);
    json.put("pid", pid).put("started", started).put("lock", lock).put("token", token);
    byte[] content = CheckedJson.encode(json);
    byte[] bytes = Arrays.copyOf(content, Math.max(content.length, BYTES));
    Arrays.fill(bytes, content.length, bytes.length, (byte) ' ');
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        out.write(buffer, buffer.position());
      }
      out.truncate(bytes.length);
    }
  }

  /** Returns the record of the same owner after it has closed the queue. */
  public OwnerRecord closed() {
    return new OwnerRecord(host, machine, 0, 0, lock, "");
  }

  /** Returns whether it is of this process. */
  public boolean isOfThisProcess() {
    return pid == ProcessHandle.current().pid() && isRunning();
  }

  /** Returns whether the process is known to run; false on another machine, boot or container. */
  public boolean isRunning() {
    return pid != 0 && machine.equals(MACHINE) && started == startOf(pid);
  }

  /** Returns the process and its machine, for people. */
  public String who() {
    return "process " + pid + " on " + host;
  }

  private static String hostName() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException | RuntimeException e) {
      return "unknown";
    }
  }

  private static String machineName() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip()
          + ' '
          + Files.readSymbolicLink(Path.of("/proc/self/ns/pid"));
    } catch (IOException | RuntimeException e) {
      return HOST;
    }
  }

  /**
   * Returns when a process was started, or -1. On Linux in ticks since the boot, which do not
   * change when the clock is set, as the JDK's answer does.
   */
  public static long startOf(long pid) {
    try {
      Path stat = Path.of("/proc", Long.toString(pid), "stat");
      String text = new String(Files.readAllBytes(stat), StandardCharsets.ISO_8859_1);
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", -1);
      boolean isDead =
          fields[0].equals("Z") || fields[0].equals("X"); // its parent has not read how it ended
      return isDead ? -1 : Long.parseLong(fields[STARTED_FIELD]);
    } catch (IOException | RuntimeException e) {
      return ProcessHandle.of(pid)
          .flatMap(process -> process.info().startInstant())
          .map(start -> start.toEpochMilli())
          .orElse(-1L);
    }
  }
}
