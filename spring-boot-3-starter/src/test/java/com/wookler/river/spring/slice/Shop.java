package com.wookler.river.spring.slice;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.spring.RiverConverters;
import com.wookler.river.spring.RiverListener;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;

/** Listeners, and what their tests are to leave out. */
final class Shop {
  private Shop() {}

  /** What listeners need, and tests replace. */
  @Service
  static class Invoices {
    final Queue<Object> all = new ConcurrentLinkedQueue<>();
  }

  @Component
  static class Billing {
    private final Invoices invoices;

    Billing(Invoices invoices) {
      this.invoices = invoices;
    }

    @RiverListener(queue = "orders", subscriber = "billing")
    void on(String order) {
      invoices.all.add(order);
    }
  }

  /** Has its listener from elsewhere. */
  @Component
  static class Shipping extends Carrier {}

  static class Carrier {
    final Queue<Object> all = new ConcurrentLinkedQueue<>();

    @RiverListener(queue = "parcels", subscriber = "shipping")
    void on(Integer parcel) {
      all.add(parcel);
    }
  }

  /** Stores numbers as text, as no default would. */
  @Component
  static class Converters implements RiverConverters {
    @Override
    @SuppressWarnings("unchecked") // only strings and integers are used
    public <T> MessageConverter<T> forType(Class<T> type) {
      return type == String.class
          ? (MessageConverter<T>) MessageConverter.utf8()
          : (MessageConverter<T>) new Numbers();
    }
  }

  private static final class Numbers implements MessageConverter<Integer> {
    @Override
    public byte[] toBytes(Integer number) {
      return MessageConverter.utf8().toBytes("number " + number);
    }

    @Override
    public Integer fromBytes(byte[] bytes) {
      return Integer.valueOf(
          MessageConverter.utf8().fromBytes(bytes).substring("number ".length()));
    }
  }

  /** Is not there in a test of listeners. */
  @Component
  static class Broken {
    Broken() {
      throw new IllegalStateException("no database");
    }
  }

  /** Is not there either. */
  @Configuration
  static class Settings {
    @Bean
    Thread server() {
      throw new IllegalStateException("no server");
    }
  }
}
