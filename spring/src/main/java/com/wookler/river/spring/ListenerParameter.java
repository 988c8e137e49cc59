package com.wookler.river.spring;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.subscriber.Delivery;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.util.ClassUtils;

/** One parameter of a listener. */
abstract class ListenerParameter {
  private static final String SPRING_HEADER =
      "org.springframework.messaging.handler.annotation.Header";
  private static final TypeDescriptor TEXT = TypeDescriptor.valueOf(String.class);

  private final @Nullable Class<?> dataType;

  private ListenerParameter(@Nullable Class<?> dataType) {
    this.dataType = dataType;
  }

  /**
   * Finds out what a parameter takes.
   *
   * @param wrong makes the error about its method
   */
  static ListenerParameter of(
      MethodParameter parameter, boolean batch, Function<String, ConfigurationException> wrong) {
    MergedAnnotation<?> header = header(parameter);
    if (header != null) {
      if (batch) {
        throw wrong.apply("takes a batch and a header; take a List<Delivery<…>> instead");
      }
      return headerOf(header, parameter, wrong);
    }
    ResolvableType type = ResolvableType.forMethodParameter(parameter);
    if (batch) {
      if (type.resolve() != List.class) {
        throw wrong.apply("takes a batch, so its parameter is a list, not " + type);
      }
      type = type.getGeneric();
    }
    boolean whole = type.resolve() == Delivery.class;
    ResolvableType payload = whole ? type.getGeneric() : type;
    if (losesArguments(payload)) {
      throw wrong.apply(
          ("takes %s, but a queue's data is converted by its class alone; take a class of your own"
                  + " without type arguments, or, for several messages at once, set batch = true")
              .formatted(payload));
    }
    Class<?> data = payload.resolve();
    return new Taken(data == null || data == Object.class ? null : boxed(data), whole);
  }

  private static Class<?> boxed(Class<?> type) {
    return ClassUtils.resolvePrimitiveIfNecessary(type);
  }

  /** Texts in JSON are strings, whatever is known of the type, and anything is an object. */
  private static boolean losesArguments(ResolvableType payload) {
    for (ResolvableType argument : payload.getGenerics()) {
      Class<?> type = argument.resolve(Object.class);
      if (type != Object.class && type != String.class) {
        return true;
      }
    }
    return false;
  }

  private static @Nullable MergedAnnotation<?> header(MethodParameter parameter) {
    MergedAnnotations all = MergedAnnotations.from(parameter.getParameterAnnotations());
    MergedAnnotation<?> own = all.get(Header.class);
    MergedAnnotation<?> springs = all.get(SPRING_HEADER);
    return own.isPresent() ? own : springs.isPresent() ? springs : null;
  }

  private static ListenerParameter headerOf(
      MergedAnnotation<?> annotation,
      MethodParameter parameter,
      Function<String, ConfigurationException> wrong) {
    String name = annotation.getString("name");
    if (name.isEmpty() && parameter.getParameterType() == Map.class) {
      return new Headers();
    }
    if (name.isEmpty()) {
      String own =
          parameter.getParameter().isNamePresent() ? parameter.getParameter().getName() : null;
      if (own == null) {
        throw wrong.apply("has a header without a name, and is compiled without -parameters");
      }
      name = own;
    }
    return new OneHeader(
        name,
        annotation.getBoolean("required") && parameter.getParameterType() != Optional.class,
        annotation.getValue("defaultValue", String.class).filter(text -> !isNone(text)),
        new TypeDescriptor(parameter));
  }

  /** Returns whether a default value is the one with which Spring says that there is none. */
  private static boolean isNone(String text) {
    return text.startsWith("\n\t\t\n");
  }

  /** Returns the type of the queue's data; null if this parameter does not say. */
  @Nullable Class<?> dataType() {
    return dataType;
  }

  boolean isPayload() {
    return false;
  }

  abstract @Nullable Object value(Delivery<?> delivery);

  @Nullable Object values(List<? extends Delivery<?>> deliveries) {
    throw new IllegalStateException("no parameter of a batch");
  }

  /** The payload, or the whole delivery. */
  private static final class Taken extends ListenerParameter {
    private final boolean whole;

    Taken(@Nullable Class<?> dataType, boolean whole) {
      super(dataType);
      this.whole = whole;
    }

    @Override
    boolean isPayload() {
      return !whole;
    }

    @Override
    @Nullable Object value(Delivery<?> delivery) {
      return whole ? delivery : delivery.data();
    }

    @Override
    @Nullable Object values(List<? extends Delivery<?>> deliveries) {
      return whole ? deliveries : deliveries.stream().map(Delivery::data).toList();
    }
  }

  private static final class Headers extends ListenerParameter {
    Headers() {
      super(null);
    }

    @Override
    @Nullable Object value(Delivery<?> delivery) {
      return delivery.headers();
    }
  }

  private static final class OneHeader extends ListenerParameter {
    private final String name;
    private final boolean required;
    private final Optional<String> dflt;
    private final TypeDescriptor type;

    OneHeader(String name, boolean required, Optional<String> dflt, TypeDescriptor type) {
      super(null);
      this.name = name;
      this.required = required;
      this.dflt = dflt;
      this.type = type;
    }

    @Override
    @Nullable Object value(Delivery<?> delivery) {
      byte[] bytes = delivery.headers().get(name);
      if (bytes == null && dflt.isPresent()) {
        bytes = dflt.get().getBytes(StandardCharsets.UTF_8);
      }
      if (bytes == null && required) {
        throw new RiverException(
            "message %d has no header '%s'; it has %s"
                .formatted(delivery.sequence(), name, delivery.headers().keySet()));
      }
      if (bytes == null && type.getType() == Optional.class) {
        return Optional.empty();
      }
      if (bytes == null || type.getType() == byte[].class) {
        return bytes;
      }
      String text = new String(bytes, StandardCharsets.UTF_8);
      return DefaultConversionService.getSharedInstance().convert(text, TEXT, type);
    }
  }
}
