package com.wookler.river.benchmarks.system;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMAcceptorFactory;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMConnectorFactory;
import org.apache.activemq.artemis.core.remoting.impl.invm.TransportConstants;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;

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
}
