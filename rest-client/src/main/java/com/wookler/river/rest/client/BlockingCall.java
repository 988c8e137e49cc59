package com.wookler.river.rest.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * One call that its own thread sends and waits for. This costs a fraction of a future that other
 * threads complete.
 *
 * <p>The JDK's client aborts such a send only when its thread is interrupted, so a timeout and
 * {@link Transport#close} interrupt it. The lock ensures that this interrupt is cleared when the
 * attempt is over. An interrupt by the application ends the call.
 */
final class BlockingCall implements TimeoutChecker.TimedTask {
  private final Transport transport;
  private final Request request;
  private final Thread thread = Thread.currentThread();

  private volatile long deadline; // of the attempt; read by the timeout checker

  @GuardedBy("this")
  private boolean sending;

  @GuardedBy("this")
  private boolean cut;

  BlockingCall(Transport transport, Request request) {
    this.transport = transport;
    this.request = request;
  }

  /** Sends the request, with retries, and returns the response. */
  Response run() throws InterruptedException {
    RetryHandler retries = new RetryHandler(transport.servers(), transport.settings(), request);
    Response answer = attempt(retries);
    while (answer == null) {
      transport.pause(retries.pauseNanos());
      answer = attempt(retries);
    }
    return answer;
  }

  private @Nullable Response attempt(RetryHandler retries) throws InterruptedException {
    if (Thread.interrupted()) { // before anything is sent
      throw new InterruptedException();
    }
    deadline = retries.attemptDeadline();
    HttpResponse<byte[]> response = null;
    Exception failure = null;
    boolean ended;
    begin();
    try {
      transport.timeouts().add(this);
      response = transport.send(retries.server(), request);
    } catch (ClientClosedException e) {
      throw e;
    } catch (IOException | InterruptedException | RuntimeException e) {
      failure = e;
    } finally {
      transport.timeouts().remove(this);
      ended = finish();
    }
    if (response == null && transport.isClosed()) {
      throw Transport.closedNow();
    }
    if (failure instanceof InterruptedException interrupted && !ended) {
      throw interrupted;
    }
    return retries.handle(response, failure, ended);
  }

  private synchronized void begin() {
    sending = true;
    cut = false;
  }

  /** Returns whether the attempt was aborted from outside, and clears that interrupt. */
  private synchronized boolean finish() {
    sending = false;
    if (cut) {
      boolean unused = Thread.interrupted();
    }
    return cut;
  }

  @Override
  public boolean isTimedOut(long now) {
    return now - deadline >= 0;
  }

  @Override
  public synchronized void end() {
    if (sending && !cut && (transport.isClosed() || isTimedOut(Ticker.nanos()))) {
      cut = true;
      thread.interrupt();
    }
  }
}
