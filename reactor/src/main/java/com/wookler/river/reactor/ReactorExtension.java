package com.wookler.river.reactor;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.core.SubscriberExtension;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts a reactor for each subscriber in XML that has processors. The queue calls it.
 *
 * <pre>{@code
 * <subscriber name="audit">
 *   <params>...</params>
 *   <executor><params><param name="executor.pool.size" value="4"/></params></executor>
 *   <failure exception="java.sql.SQLException" policy="retry, reject or pause"/>
 *   <filter class="a java.util.function.Predicate of deliveries"/>
 *   <processor name="store" class="a Processor or BatchProcessor"><params>...</params></processor>
 *   <selector>
 *     <route expression="json.amount > 100"><processor name="large" class="..."/></route>
 *     <otherwise><processor name="rest" class="..."/></otherwise>
 *   </selector>
 * </subscriber>
 * }</pre>
 *
 * <p>Stages run in the order of their elements. An object that is {@link
 * com.wookler.river.common.config.Configurable} is configured with its element.
 */
public final class ReactorExtension implements SubscriberExtension {
  private static final Logger LOG = LoggerFactory.getLogger(ReactorExtension.class);

  /** Creates the extension, for the service loader. */
  public ReactorExtension() {}

  @Override
  public List<String> elements() {
    return ReactorXml.ELEMENTS;
  }

  @Override
  public Attachment configure(ConfigNode subscriber) {
    ReactorXml xml = new ReactorXml(subscriber);
    return opened -> start(xml, opened);
  }

  /**
   * Returns a builder for the reactor of a subscriber's element that takes messages from a source:
   * where the queue is one of another {@link com.wookler.river.core.QueueEngine}. Starts nothing.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException something in it is wrong
   */
  public static Reactor.Builder<Object> builder(
      ConfigNode subscriber, DeliverySource<Object> source) {
    return new ReactorXml(subscriber).addTo(Reactor.builder(source));
  }

  @SuppressWarnings("unchecked") // the XML names the classes; what they process is up to the user
  private static Reactor<Object> start(ReactorXml xml, Subscriber<?> subscriber) {
    if (!subscriber.config().ackRequired()) {
      LOG.warn(
          "Subscriber {} has processors, but does not require acknowledgement: messages for which"
              + " one throws are not delivered again. Set subscriber.ack.required",
          subscriber.name());
    }
    return xml.addTo(Reactor.builder((Subscriber<Object>) subscriber)).start();
  }
}
