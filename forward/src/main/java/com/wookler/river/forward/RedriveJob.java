package com.wookler.river.forward;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.transfer.Endpoint;
import com.wookler.river.forward.RedriveStatus.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One redrive of dead letters, step by step: the target takes some and has them forced, they are
 * counted in the file, then they are taken out. After a crash in between the target says what it
 * has, and the file what was counted. Thread-safe.
 */
final class RedriveJob {
  static final int STEP = 64; // letters

  private final Endpoint from;
  private final Function<String, @Nullable DeadLetters<?>> deadLetters;
  private final LetterTransfer transfer;
  private final ReentrantLock lock = new ReentrantLock(); // held during a step

  @GuardedBy("lock")
  private boolean inDoubt; // whether a crash may have interrupted a step

  @GuardedBy("lock")
  private @Nullable FilterExpression filter; // parsed by the first step

  @GuardedBy("lock")
  private boolean stuck; // by the last step

  @GuardedBy("lock")
  private boolean ended;

  @GuardedBy("lock")
  private long reached;

  private volatile RedriveFile at; // written under the lock

  /** Continues from what a file says, or begins, if it has none yet: {@code inDoubt} is false. */
  RedriveJob(
      Endpoint from,
      Function<String, @Nullable DeadLetters<?>> deadLetters,
      RedriveFile at,
      boolean inDoubt) {
    this.from = from;
    this.deadLetters = deadLetters;
    this.at = at;
    this.inDoubt = inDoubt;
    this.transfer = new LetterTransfer(from, at.redrive().subscriber(), target(at));
  }

  private String target(RedriveFile file) {
    String named = file.redrive().target();
    return named == null ? from.queue() : named;
  }

  RedriveFile file() {
    return at;
  }

  RedriveStatus status() {
    return at.status(transfer.waiting());
  }

  boolean isOver() {
    return at.state().isOver();
  }

  boolean isTargetOpen() {
    return transfer.isTargetOpen();
  }

  /** Writes its file for the first time. */
  void begin() {
    lock.lock();
    try {
      become(at);
    } finally {
      lock.unlock();
    }
  }

  /** Ends it; what a crash has interrupted is completed first. Returns whether it was not over. */
  boolean cancel() {
    lock.lock();
    try {
      if (at.state().isOver()) {
        return false;
      }
      become(at.with(inDoubt ? State.CANCELLING : State.CANCELLED));
      return true;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void become(RedriveFile file) {
    try {
      file.write(from.directory(), from.identity());
    } catch (IOException e) {
      throw new RiverException(
          "queue " + from.queue() + ": cannot keep how far redrive " + file.id() + " is", e);
    }
    at = file;
  }

  /** Moves some letters; returns whether there is more to do at once. */
  boolean step() {
    lock.lock();
    try {
      if (at.state().isOver()) {
        return false;
      }
      DeadLetters<?> letters = deadLetters.apply(at.redrive().subscriber());
      if (letters == null) {
        transfer.waits("the subscriber is not open");
        return false;
      }
      parseFilter();
      return move(letters);
    } catch (RiverException e) {
      transfer.waits(String.valueOf(e.getMessage()));
      return false;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void parseFilter() {
    String text = at.redrive().filter();
    if (text != null && filter == null) {
      filter = FilterExpression.parse(text);
    }
  }

  @GuardedBy("lock")
  @SuppressWarnings("GuardedBy") // the mover is called under the lock
  private boolean move(DeadLetters<?> letters) {
    stuck = false;
    ended = false;
    reached = at.position();
    long next = letters.move(at.position(), STEP, (queue, some) -> give(queue, some));
    at = at.at(reached);
    inDoubt &= stuck;
    if (ended || next < 0) {
      become(at.with(at.state() == State.RUNNING ? State.DONE : State.CANCELLED));
    }
    return !stuck && !at.state().isOver();
  }

  /** Gives letters that match to the target, and counts them; returns which. */
  @GuardedBy("lock")
  @SuppressWarnings("GuardedBy") // streams are evaluated here
  private Set<Long> give(UUID queue, List<StoredMessage> letters) {
    OptionalLong end = end();
    if (end.isEmpty()) {
      stuck = true;
      transfer.waits("it is not open");
      return Set.of();
    }
    ended = at.letters() != null && !at.letters().equals(queue); // others have taken their place
    List<StoredMessage> below =
        ended
            ? List.of()
            : letters.stream().filter(each -> each.sequence() < end.getAsLong()).toList();
    ended |= below.size() < letters.size();
    List<StoredMessage> wanted = below.stream().filter(this::matches).toList();
    List<StoredMessage> copies = new ArrayList<>();
    wanted.forEach(each -> copies.add(redriven(each)));
    int given = transfer.give(at.id(), copies);
    if (given < wanted.size()) {
      stuck = true;
      ended = false;
      reached = wanted.get(given).sequence();
    } else if (!below.isEmpty()) {
      reached = below.get(below.size() - 1).sequence() + 1;
    }
    Set<Long> moved =
        wanted.subList(0, given).stream()
            .map(StoredMessage::sequence)
            .collect(Collectors.toUnmodifiableSet());
    long before = at.counted();
    long nowMoved = moved.stream().filter(each -> each >= before).count();
    long passed =
        below.stream()
            .filter(each -> each.sequence() >= before && each.sequence() < reached)
            .count();
    if (reached > before) {
      become(at.count(queue, reached, nowMoved, passed - nowMoved));
    }
    return moved;
  }

  /** Returns where it ends; empty if the target has to say it, which is not open. */
  @GuardedBy("lock")
  private OptionalLong end() {
    if (at.state() == State.RUNNING) {
      return OptionalLong.of(at.end());
    }
    if (transfer.isTargetMissing()) {
      return OptionalLong.of(0);
    }
    OptionalLong last = transfer.last(at.id());
    return last.isEmpty()
        ? last
        : OptionalLong.of(Math.min(at.end(), Math.max(at.counted(), last.getAsLong() + 1)));
  }

  @GuardedBy("lock")
  private boolean matches(StoredMessage letter) {
    return filter == null || filter.matches(letter.key(), letter.headers(), letter.data());
  }

  /** Returns the message that a letter was, with where it comes from. */
  private StoredMessage redriven(StoredMessage letter) {
    Map<String, byte[]> headers = new LinkedHashMap<>(letter.headers());
    headers.keySet().removeIf(name -> name.startsWith(DeadLetters.PREFIX));
    byte[] sequence = letter.headers().get(DeadLetters.SEQUENCE);
    if (sequence != null) {
      headers.put(DeadLetters.REDRIVEN_FROM, sequence);
    }
    if (at.redrive().target() == null) {
      headers.put(
          DeadLetters.REDRIVEN_TO, at.redrive().subscriber().getBytes(StandardCharsets.UTF_8));
    }
    return new StoredMessage(letter.sequence(), 0, letter.data(), letter.key(), headers, null);
  }
}
