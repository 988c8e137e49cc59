package com.wookler.river.core.log;

import com.wookler.river.common.file.Device;
import com.wookler.river.common.file.DurableFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** A device with so much space, which also proves that zeros are written over nothing else. */
final class TightDevice implements Device {
  private final AtomicLong space = new AtomicLong();
  private volatile boolean broken;
  private volatile boolean noDescriptors;
  private volatile boolean wrote; // over something

  TightDevice(long space) {
    this.space.set(space);
  }

  void space(long bytes) {
    space.set(bytes);
  }

  void noDescriptors(boolean none) {
    noDescriptors = none;
  }

  void breakDown() {
    broken = true;
  }

  boolean hasWrittenOverSomething() {
    return wrote;
  }

  @Override
  public long free(Path directory) {
    return space.get();
  }

  @Override
  public void zero(Path file, long from, long to) throws IOException {
    if (broken) {
      throw new IOException("the device is broken");
    }
    if (noDescriptors) {
      throw new FileSystemException(file.toString(), null, "Too many open files");
    }
    long wanted = to - from;
    if (space.getAndUpdate(left -> left < wanted ? left : left - wanted) < wanted) {
      throw new IOException("No space left on device");
    }
    try (InputStream in = Files.newInputStream(file)) {
      in.skipNBytes(Math.min(from, Files.size(file)));
      for (byte b : in.readNBytes((int) (to - from))) {
        wrote |= b != 0;
      }
    }
    DurableFiles.zero(file, from, to);
  }
}
