package com.wookler.river.benchmarks.system;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ClientConsumer;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientProducer;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSessionFactory;
import org.apache.activemq.artemis.api.core.client.SendAcknowledgementHandler;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMAcceptorFactory;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMConnector;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMConnectorFactory;
import org.apache.activemq.artemis.core.remoting.impl.invm.TransportConstants;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.jspecify.annotations.Nullable;

/** ActiveMQ Artemis inside the process: durable messages, a durable queue a subscriber. */
final class ArtemisSystem implements QueueSystem {
  static final String ADDRESS = "bench";

  private static final AtomicInteger SERVERS = new AtomicInteger();
  private static final int FORCE_AFTER_NANOS = 50_000;
  private static final int PAGE_BYTES = 10 << 20;

  @Override
  public String name() {
    return "artemis";
  }

  @Override
  public String notes() {
    return "embedded, in-VM connections (one a publisher, one a consumer), core client, durable"
        + " messages, blockOnDurableSend; a durable queue a consumer on one multicast address; NIO"
        + " journal of 10 MiB files, waited for by each send: MEMORY with journal-datasync off and"
        + " journal-buffer-timeout 0, so written to the operating system at once, DISK with"
        + " journal-datasync and a journal-buffer-timeout of 50 µs; several under way by send"
        + " acknowledgement handlers; a batch is one commit of a transacted session; ackBatchSize 0,"
        + " individual acknowledgements, for a batch one cumulative, none waited for"
        + " (blockOnAcknowledge off, as by default); without acknowledgement means"
        + " pre-acknowledge; PAGE beyond half of the heap (by default); no security, JMX, message"
        + " counters or limit of disk usage";
  }

  @Override
  public boolean supports(Work work) {
    return work.underWay() == 0 || work.batch() == 1; // a commit is always waited for
  }

  @Override
  public OpenQueue open(Path directory, Work work) throws Exception {
    Map<String, Object> id =
        Map.of(TransportConstants.SERVER_ID_PROP_NAME, SERVERS.incrementAndGet());
    EmbeddedActiveMQ server = new EmbeddedActiveMQ();
    server.setConfiguration(
        configuration(directory, work)
            .addAcceptorConfiguration(
                new TransportConfiguration(InVMAcceptorFactory.class.getName(), id)));
    server.start();
    return new ArtemisQueue(
        server, new TransportConfiguration(InVMConnectorFactory.class.getName(), id), work);
  }

  private static Configuration configuration(Path directory, Work work) throws Exception {
    boolean forced = work.level() == Work.Level.DISK;
    Configuration configuration =
        new ConfigurationImpl()
            .setSecurityEnabled(false)
            .setJMXManagementEnabled(false)
            .setMessageCounterEnabled(false)
            .setMaxDiskUsage(-1)
            .setBindingsDirectory(directory.resolve("bindings").toString())
            .setJournalDirectory(directory.resolve("journal").toString())
            .setPagingDirectory(directory.resolve("paging").toString())
            .setLargeMessagesDirectory(directory.resolve("large").toString())
            .setJournalType(JournalType.NIO)
            // Without these two a send is answered while its message waits in the process's buffer.
            .setJournalSyncTransactional(true)
            .setJournalSyncNonTransactional(true)
            .setJournalDatasync(forced)
            .setJournalBufferTimeout_NIO(forced ? FORCE_AFTER_NANOS : 0);
    configuration.addAddressSetting(
        "#",
        new AddressSettings()
            .setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE)
            .setPageSizeBytes(PAGE_BYTES)
            .setDeadLetterAddress(SimpleString.of("DLQ"))
            .setExpiryAddress(SimpleString.of("ExpiryQueue")));
    for (int number = 0; number < Math.max(1, work.consumers()); number++) {
      configuration.addQueueConfiguration(
          QueueConfiguration.of(queue(number))
              .setAddress(ADDRESS)
              .setRoutingType(RoutingType.MULTICAST)
              .setDurable(true));
    }
    return configuration;
  }

  static String queue(int number) {
    return "s" + number;
  }

  /** A running server and what connects to it. */
  private static final class ArtemisQueue implements OpenQueue {
    private static final int CONFIRMATION_WINDOW = 1 << 20;
    private static final int DEFAULT_WINDOW = ActiveMQClient.DEFAULT_PRODUCER_WINDOW_SIZE;
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
            .setProducerWindowSize(Math.max(DEFAULT_WINDOW, bytes));
      }
    }

    @Override
    public Sender sender() throws Exception {
      ClientSessionFactory connection = locator.createSessionFactory();
      return work.underWay() > 0
          ? new AsyncSender(connection, work.underWay())
          : new WaitingSender(connection);
    }

    @Override
    public Receiver receiver(int number) throws Exception {
      return new ArtemisReceiver(locator.createSessionFactory(), queue(number), work.ack());
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

  /** Ends a connection and what belongs to it. */
  private static void close(ClientSessionFactory connection, AutoCloseable... sessions)
      throws IOException {
    try (connection) {
      for (AutoCloseable session : sessions) {
        session.close();
      }
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private static ClientMessage message(ClientSession session, byte[] data) {
    ClientMessage message = session.createMessage(true);
    message.getBodyBuffer().writeBytes(data);
    return message;
  }

  /** Waits for each message, or for the commit of a batch. */
  private static final class WaitingSender implements Sender {
    private final ClientSessionFactory connection;
    private final ClientSession single;
    private final ClientProducer singles;
    private final ClientSession transacted;
    private final ClientProducer batches;

    WaitingSender(ClientSessionFactory connection) throws ActiveMQException {
      this.connection = connection;
      this.single = connection.createSession(true, true);
      this.singles = single.createProducer(ADDRESS);
      this.transacted = connection.createSession(false, true);
      this.batches = transacted.createProducer(ADDRESS);
    }

    @Override
    public void send(byte[] data) throws ActiveMQException {
      singles.send(message(single, data));
    }

    @Override
    public void send(List<byte[]> batch) throws ActiveMQException {
      for (byte[] data : batch) {
        batches.send(message(transacted, data));
      }
      transacted.commit();
    }

    @Override
    public void close() throws IOException {
      ArtemisSystem.close(connection, single, transacted);
    }
  }

  /** Sends on while earlier messages are not confirmed yet, up to a number of them. */
  private static final class AsyncSender implements Sender, SendAcknowledgementHandler {
    private final ClientSessionFactory connection;
    private final ClientSession session;
    private final ClientProducer producer;
    private final UnderWay underWay;

    AsyncSender(ClientSessionFactory connection, int underWay) throws ActiveMQException {
      this.connection = connection;
      this.session = connection.createSession(true, true);
      this.producer = session.createProducer(ADDRESS);
      this.underWay = new UnderWay(underWay);
    }

    @Override
    public void send(byte[] data) throws Exception {
      underWay.begin();
      producer.send(message(session, data), this);
    }

    @Override
    public void send(List<byte[]> batch) {
      throw new UnsupportedOperationException("a commit is always waited for");
    }

    @Override
    public void sendAcknowledged(Message message) {
      underWay.end(null);
    }

    @Override
    public void sendFailed(Message message, Exception e) {
      underWay.end(e);
    }

    @Override
    public void finish() throws Exception {
      underWay.finish();
    }

    @Override
    public void close() throws IOException {
      ArtemisSystem.close(connection, session);
    }
  }

  /** Consumes one queue by a connection of its own. */
  private static final class ArtemisReceiver implements Receiver {
    private final ClientSessionFactory connection;
    private final ClientSession session;
    private final ClientConsumer consumer;
    private final boolean ack;

    ArtemisReceiver(ClientSessionFactory connection, String queue, boolean ack)
        throws ActiveMQException {
      this.connection = connection;
      this.ack = ack;
      this.session = connection.createSession(true, true);
      this.consumer = session.createConsumer(queue);
      session.start();
    }

    @Override
    public int receive(int max, Duration timeout, Sink sink) throws ActiveMQException {
      @Nullable ClientMessage message =
          timeout.isZero() ? consumer.receiveImmediate() : consumer.receive(timeout.toMillis());
      @Nullable ClientMessage last = null;
      int count = 0;
      while (message != null) {
        byte[] data = new byte[message.getBodyBuffer().readableBytes()];
        message.getBodyBuffer().readBytes(data);
        sink.accept(data);
        last = message;
        count++;
        message = count < max ? consumer.receiveImmediate() : null;
      }
      if (ack && last != null) {
        acknowledge(last, max);
      }
      return count;
    }

    private static void acknowledge(ClientMessage last, int max) throws ActiveMQException {
      if (max == 1) {
        last.individualAcknowledge();
      } else {
        last.acknowledge(); // and all before it
      }
    }

    @Override
    public void close() throws IOException {
      ArtemisSystem.close(connection, session);
    }
  }
}
