package com.wookler.river.benchmarks.system;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.artemis.api.core.ActiveMQException;
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
final class ArtemisQueue implements OpenQueue {
  private static final String ADDRESS = "bench";
  private static final int FORCE_AFTER_NANOS = 50_000;
  private static final int PAGE_BYTES = 10 << 20;
  private static final AtomicInteger SERVERS = new AtomicInteger();

  /** Queues of this process; the connections of all of them share one pool of threads. */
  private static final AtomicInteger OPEN = new AtomicInteger();

  private final EmbeddedActiveMQ server = new EmbeddedActiveMQ();
  private final ServerLocator locator;
  private final Work work;

  ArtemisQueue(Path directory, Work work) throws Exception {
    this.work = work;
    Map<String, Object> id =
        Map.of(TransportConstants.SERVER_ID_PROP_NAME, SERVERS.incrementAndGet());
    server.setConfiguration(
        configuration(directory, work)
            .addAcceptorConfiguration(
                new TransportConfiguration(InVMAcceptorFactory.class.getName(), id)));
    server.start();
    OPEN.incrementAndGet();
    locator =
        ActiveMQClient.createServerLocatorWithoutHA(
                new TransportConfiguration(InVMConnectorFactory.class.getName(), id))
            .setUseGlobalPools(false)
            .setBlockOnDurableSend(true)
            .setPreAcknowledge(!work.ack())
            .setAckBatchSize(0);
  }

  private static Configuration configuration(Path directory, Work work) throws Exception {
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
            .setJournalDatasync(work.disk())
            .setJournalBufferTimeout_NIO(work.disk() ? FORCE_AFTER_NANOS : 0);
    configuration.addAddressSetting(
        "#",
        new AddressSettings()
            .setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE)
            .setPageSizeBytes(PAGE_BYTES)
            .setDeadLetterAddress(SimpleString.of("DLQ"))
            .setExpiryAddress(SimpleString.of("ExpiryQueue")));
    for (int number = 0; number < Math.max(1, work.consumers()); number++) {
      configuration.addQueueConfiguration(
          QueueConfiguration.of("s" + number)
              .setAddress(ADDRESS)
              .setRoutingType(RoutingType.MULTICAST)
              .setDurable(true));
    }
    return configuration;
  }

  @Override
  public Sender sender() throws Exception {
    return new ArtemisSender();
  }

  @Override
  public Receiver receiver(int number) throws Exception {
    return new ArtemisReceiver("s" + number);
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

  /** A connection and its two sessions. */
  private class Connected implements Closeable {
    final ClientSessionFactory connection;
    final ClientSession single;
    final ClientSession transacted;

    Connected() throws Exception {
      connection = locator.createSessionFactory();
      single = connection.createSession(true, true);
      transacted = connection.createSession(false, true);
    }

    @Override
    public void close() throws IOException {
      try (connection;
          single;
          transacted) {
        // in the opposite order
      } catch (ActiveMQException e) {
        throw new IOException(e);
      }
    }
  }

  /** Waits for each message, or for the commit of a batch. */
  private final class ArtemisSender extends Connected implements Sender {
    private final ClientProducer singles = single.createProducer(ADDRESS);
    private final ClientProducer batches = transacted.createProducer(ADDRESS);

    ArtemisSender() throws Exception {}

    private static ClientMessage message(ClientSession session, byte[] data) {
      ClientMessage message = session.createMessage(true);
      message.getBodyBuffer().writeBytes(data);
      return message;
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
  }

  /** Consumes one queue by a connection of its own. */
  private final class ArtemisReceiver extends Connected implements Receiver {
    private final ClientConsumer consumer;

    ArtemisReceiver(String queue) throws Exception {
      consumer = single.createConsumer(queue);
      single.start();
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
      if (work.ack() && last != null) {
        if (max == 1) {
          last.individualAcknowledge();
        } else {
          last.acknowledge(); // and all before it
        }
      }
      return count;
    }
  }
}
