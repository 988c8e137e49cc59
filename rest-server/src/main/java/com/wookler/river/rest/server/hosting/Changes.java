package com.wookler.river.rest.server.hosting;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Notices that files have changed, by their times, sizes and identities. Used by one at a time. */
public final class Changes {
  private final List<Path> files;
  private List<Object> known;

  public Changes(List<Path> files) {
    this.files = List.copyOf(files);
    this.known = look();
  }

  /** Whether they differ from the last look. */
  public synchronized boolean seen() {
    List<Object> now = look();
    boolean changed = !now.equals(known);
    known = now;
    return changed;
  }

  private List<Object> look() {
    List<Object> all = new ArrayList<>();
    for (Path file : files) {
      try {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        all.add(attributes.lastModifiedTime());
        all.add(attributes.size());
        all.add(Objects.requireNonNullElse(attributes.fileKey(), ""));
      } catch (IOException e) {
        all.add("none");
      }
    }
    return all;
  }
}
