package com.wookler.river.core.log;

import com.wookler.river.common.file.Device;
import com.wookler.river.common.file.DurableFiles;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/** A device that writes down what it is asked, and that a test can hold and break. */
final class HeldDevice implements Device {
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final Semaphore turns = new Semaphore(Integer.MAX_VALUE);
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore directoryTurns = new Semaphore(Integer.MAX_VALUE);
  private final Semaphore directoryBegun = new Semaphore(0);
  private final AtomicBoolean broken = new AtomicBoolean();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  /** Lets no force end from now on, but as many as {@link #let} says. */
  void hold() {
    turns.drainPermits();
    begun.drainPermits();
  }

  void let(int forces) {
    turns.release(forces);
  }

  void letAll() {
    turns.release(Integer.MAX_VALUE - turns.availablePermits());
  }

  /** Returns when a force more has begun since it is held. */
  void awaitBegun() {
    begun.acquireUninterruptibly();
  }

  /** Lets no force of a directory end from now on until {@link #letDirectory}. */
  void holdDirectory() {
    directoryTurns.drainPermits();
    directoryBegun.drainPermits();
  }

  void awaitDirectoryBegun() {
    directoryBegun.acquireUninterruptibly();
  }

  void letDirectory() {
    directoryTurns.release(Integer.MAX_VALUE - directoryTurns.availablePermits());
  }

  /** The next force fails; those behind it say that all is well, as Linux does. */
  void breakOnce() {
    broken.set(true);
  }

  /** Names of files and directories that are on the device, in the order of their forces. */
  List<String> forced() {
    return List.copyOf(asked);
  }

  /** The threads that have begun a force of a file, in that order. */
  List<Thread> threads() {
    return List.copyOf(threads);
  }

  void forget() {
    asked.clear();
    threads.clear();
  }

  @Override
  public void force(Path file, MappedByteBuffer view, int from, int length) throws IOException {
    await();
    view.force(from, length);
    asked.add(file.getFileName().toString());
  }

  @Override
  public void force(Path file, FileChannel channel) throws IOException {
    await();
    channel.force(false);
    asked.add(file.getFileName().toString());
  }

  private void await() throws IOException {
    threads.add(Thread.currentThread());
    begun.release();
    turns.acquireUninterruptibly();
    if (broken.getAndSet(false)) {
      throw new IOException("the device is broken");
    }
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    directoryBegun.release();
    directoryTurns.acquireUninterruptibly();
    DurableFiles.forceDirectory(directory);
    asked.add("directory");
  }
}
