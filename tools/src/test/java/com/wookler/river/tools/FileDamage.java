package com.wookler.river.tools;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Files that were read once, to be written again and again, each time with other damage. Each kind
 * of file is as likely to be hit as any other, however many there are of it, and so is each byte of
 * a file that is in use.
 */
final class FileDamage {
  private static final int PAGE = 4096;

  private final Map<String, Content> sound;
  private final Map<String, Content> old;
  private final Map<String, List<String>> kinds = new TreeMap<>();

  /** A file without the zeros at its end. */
  private static final class Content {
    private final byte[] used;
    private final long size;

    Content(byte[] used, long size) {
      this.used = used;
      this.size = size;
    }

    static Content of(Path file) throws IOException {
      byte[] all = Files.readAllBytes(file);
      int end = all.length;
      while (end > 0 && all[end - 1] == 0) {
        end--;
      }
      return new Content(Arrays.copyOf(all, end), all.length);
    }

    void write(Path file) throws IOException {
      try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
        out.setLength(0);
        out.write(used);
        out.setLength(size);
      }
    }

    boolean isSame(@Nullable Content other) {
      return other != null && size == other.size && Arrays.equals(used, other.used);
    }
  }

  /** What was done, and to which files. */
  record Done(List<String> what, TreeSet<String> files) {
    boolean touches(String part) {
      return files.stream().anyMatch(file -> file.contains(part));
    }

    @Override
    public String toString() {
      return String.join("; ", what);
    }
  }

  private FileDamage(Map<String, Content> sound, Map<String, Content> old) {
    this.sound = sound;
    this.old = old;
    for (String file : sound.keySet()) {
      kinds.computeIfAbsent(kind(file), kind -> new ArrayList<>()).add(file);
    }
  }

  /** Takes up what is to be damaged, and what it was before. */
  static FileDamage of(Path sound, Path old) throws IOException {
    return new FileDamage(read(sound), read(old));
  }

  private static Map<String, Content> read(Path base) throws IOException {
    Map<String, Content> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(base)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        files.put(base.relativize(file).toString(), Content.of(file));
      }
    }
    return files;
  }

  private static String kind(String file) {
    return file.replaceAll("[0-9]+", "N");
  }

  /** The kinds of files that there are. */
  List<String> kinds() {
    return List.copyOf(kinds.keySet());
  }

  void write(Path base) throws IOException {
    for (Map.Entry<String, Content> file : sound.entrySet()) {
      Path target = base.resolve(file.getKey());
      Files.createDirectories(target.getParent());
      file.getValue().write(target);
    }
  }

  /** Damages some of what was written. */
  Done damage(Path base, Random random) throws IOException {
    Done done = new Done(new ArrayList<>(), new TreeSet<>());
    for (int i = random.nextInt(3) > 0 ? 1 : 2 + random.nextInt(2); i > 0; i--) {
      List<String> all = kinds();
      List<String> files = kinds.get(all.get(random.nextInt(all.size())));
      one(base, files.get(random.nextInt(files.size())), random, done);
    }
    return done;
  }

  private void one(Path base, String name, Random random, Done done) throws IOException {
    Path file = base.resolve(name);
    if (!Files.exists(file)) {
      return; // is gone already
    }
    byte[] bytes = sound.get(name).used.clone();
    int at = random.nextInt(Math.max(1, bytes.length));
    String what = name;
    switch (random.nextInt(7)) {
      case 0 -> what += flip(file, bytes, at, random.nextInt(8));
      case 1 -> what += zero(file, bytes, at);
      case 2 -> {
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
          out.setLength(Math.min(at, out.length()));
        }
        what += " cut at " + at;
      }
      case 3 -> {
        new Content(new byte[0], 0).write(file);
        what += " emptied";
      }
      case 4 -> {
        Files.delete(file);
        what += " deleted";
      }
      case 5 -> {
        List<String> others = swappable(name, random.nextBoolean());
        String other = others.get(random.nextInt(others.size()));
        if (!Files.exists(base.resolve(other))) {
          return;
        }
        Content one = Content.of(file);
        Content.of(base.resolve(other)).write(file);
        one.write(base.resolve(other));
        done.files().add(other);
        what += " exchanged with " + other;
      }
      default -> {
        Content before = old.get(name);
        if (before == null || before.isSame(sound.get(name))) {
          what += flip(file, bytes, at, random.nextInt(8));
        } else {
          before.write(file);
          what += " put back as it was before";
        }
      }
    }
    done.files().add(name);
    done.what().add(what);
  }

  private static String flip(Path file, byte[] bytes, int at, int bit) throws IOException {
    if (at < bytes.length && at < Files.size(file)) {
      try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
        out.seek(at);
        out.write(bytes[at] ^ (1 << bit));
      }
    }
    return " with bit " + bit + " of byte " + at + " flipped";
  }

  private static String zero(Path file, byte[] bytes, int at) throws IOException {
    int from = at / PAGE * PAGE;
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      if (from < out.length()) {
        out.seek(from);
        out.write(new byte[(int) Math.min(PAGE, Math.min(out.length(), bytes.length) - from)]);
      }
    }
    return " with zeros from byte " + from;
  }

  /** Those of its kind, or of its directory. */
  private List<String> swappable(String name, boolean ofKind) {
    return ofKind
        ? kinds.get(kind(name))
        : sound.keySet().stream()
            .filter(other -> Path.of(other).getParent().equals(Path.of(name).getParent()))
            .toList();
  }
}
