package com.wookler.river.rest.server.hosting;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Detects changes of files by their times, sizes and identities. Used by one thread at a time. */
public final class FileWatcher {
  private final List<Path> files;
  private List<Object> lastSeen;

  public FileWatcher(List<Path> files) {
    this.files = List.copyOf(files);
    this.lastSeen = snapshot();
  }

  /** Returns whether a file has changed since the last call, or since this was created. */
  public synchronized boolean hasChanged() {
    List<Object> now = snapshot();
    boolean changed = !now.equals(lastSeen);
    lastSeen = now;
    return changed;
  }

  private List<Object> snapshot() {
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
