package com.wookler.river.benchmarks.system;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMConnector;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;

/** A running server and what connects to it. */
final class ArtemisQueue implements OpenQueue {
  private static final int CONFIRMATION_WINDOW = 1 << 20;
  private static final int DEFAULT_PRODUCER_WINDOW = ActiveMQClient.DEFAULT_PRODUCER_WINDOW_SIZE;
  private static final int OVERHEAD = 512;

  /** Queues of this process; the connections of all of them share one pool of threads. */
  private static final AtomicInteger OPEN = new AtomicInteger();

  private final EmbeddedActiveMQ server;
  private final ServerLocator locator;
  private final Work work;

  ArtemisQueue(EmbeddedActiveMQ server, TransportConfiguration connector, Work work) {
    this.server = server;
    OPEN.incrementAndGet();
    this.work = work;
    this.locator =
        ActiveMQClient.createServerLocatorWithoutHA(connector)
            .setUseGlobalPools(false)
            .setBlockOnDurableSend(work.underWay() == 0)
            .setPreAcknowledge(!work.ack())
            .setAckBatchSize(0);
    if (work.underWay() > 0) {
      int bytes = work.underWay() * (work.size() + OVERHEAD);
      locator
          .setConfirmationWindowSize(CONFIRMATION_WINDOW)
          .setProducerWindowSize(Math.max(DEFAULT_PRODUCER_WINDOW, bytes));
    }
  }

  @Override
  public Sender sender() throws Exception {
    ClientSessionFactory connection = locator.createSessionFactory();
    return work.underWay() > 0
        ? new ArtemisAsyncSender(connection, work.underWay())
        : new ArtemisSender(connection);
  }

  @Override
  public Receiver receiver(int number) throws Exception {
    return new ArtemisReceiver(
        locator.createSessionFactory(), ArtemisSystem.queue(number), work.ack());
  }

  /** Ends a connection and what belongs to it. */
  static void close(ClientSessionFactory connection, AutoCloseable... sessions) throws IOException {
    try (connection) {
      for (AutoCloseable session : sessions) {
        session.close();
      }
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    locator.close();
    try {
      server.stop();
    } catch (Exception e) {
      throw new IOException("Artemis does not stop", e);
    } finally {
      if (OPEN.decrementAndGet() == 0) {
        InVMConnector.resetThreadPool(); // else its threads keep the process for a minute
      }
    }
  }
}
