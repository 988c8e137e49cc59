package com.wookler.river.rest.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * One call by the thread that waits for it: it sends by itself, which costs a fraction of what a
 * future costs that other threads complete.
 *
 * <p>The JDK's client ends such a send by an interrupt only, so that is how a time limit and {@link
 * Transport#close} end it. The lock makes sure that an interrupt of ours is gone when the attempt
 * is over; one of the application, which is not ours, ends the call.
 */
final class BlockingCall implements TimeLimits.Limited {
  private final Transport transport;
  private final Ask ask;
  private final Thread thread = Thread.currentThread();

  private volatile long deadline; // of the attempt; the time limits are looked at elsewhere

  @GuardedBy("this")
  private boolean sending;

  @GuardedBy("this")
  private boolean cut;

  BlockingCall(Transport transport, Ask ask) {
    this.transport = transport;
    this.ask = ask;
  }

  /** Sends until there is an answer. */
  Answer run() throws InterruptedException {
    Attempts attempts = new Attempts(transport.servers(), transport.settings(), ask);
    Answer answer = attempt(attempts);
    while (answer == null) {
      transport.pause(attempts.pauseNanos());
      answer = attempt(attempts);
    }
    return answer;
  }

  private @Nullable Answer attempt(Attempts attempts) throws InterruptedException {
    if (Thread.interrupted()) { // before anything is sent
      throw new InterruptedException();
    }
    deadline = attempts.limit();
    HttpResponse<byte[]> response = null;
    Exception failure = null;
    boolean ended;
    begin();
    try {
      transport.limits().add(this);
      response = transport.send(attempts.server(), ask);
    } catch (ClientClosedException e) {
      throw e;
    } catch (IOException | InterruptedException | RuntimeException e) {
      failure = e;
    } finally {
      transport.limits().remove(this);
      ended = finish();
    }
    if (response == null && transport.isClosed()) {
      throw Transport.closedNow();
    }
    if (failure instanceof InterruptedException interrupted && !ended) {
      throw interrupted;
    }
    return attempts.after(response, failure, ended);
  }

  private synchronized void begin() {
    sending = true;
    cut = false;
  }

  /** Returns whether the attempt was ended from outside, and takes that interrupt back. */
  private synchronized boolean finish() {
    sending = false;
    if (cut) {
      boolean unused = Thread.interrupted();
    }
    return cut;
  }

  @Override
  public boolean isLate(long now) {
    return now - deadline >= 0;
  }

  @Override
  public synchronized void end() {
    if (sending && !cut && (transport.isClosed() || isLate(Ticker.nanos()))) {
      cut = true;
      thread.interrupt();
    }
  }
}
