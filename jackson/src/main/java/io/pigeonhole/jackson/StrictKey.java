package io.pigeonhole.jackson;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Month;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.deser.ContextualKeyDeserializer;

/** The key of a map is what its name says, and two names of one map are two keys: otherwise an entry would be lost. */
final class StrictKey extends KeyDeserializer implements ContextualKeyDeserializer {
    private final Class<?> type;
    private final KeyDeserializer delegate;

    StrictKey(Class<?> type, KeyDeserializer delegate) {
        this.type = type;
        this.delegate = delegate;
    }

    @Override
    public KeyDeserializer createContextual(DeserializationContext context, @Nullable BeanProperty property) {
        return delegate instanceof ContextualKeyDeserializer contextual
                ? new StrictKey(type, contextual.createContextual(context, property))
                : this;
    }

    @Override
    public @Nullable Object deserializeKey(String name, DeserializationContext context) {
        JsonParser parser = context.getParser();
        if (Number.class.isAssignableFrom(type)) {
            BoundedText.require(name, parser, type);
        }
        Object key = LegacyTime.is(type) ? LegacyTime.read(type, name, parser) : delegate.deserializeKey(name, context);
        if (key == null) {
            return null;
        }
        if (!isSame(key, name)) {
            throw new RefusedValueException(
                    parser,
                    "the name of an entry would become another key; " + type.getSimpleName()
                            + " is expected as Java writes it",
                    type);
        }
        if (key instanceof BigDecimal decimal) {
            BoundedDecimal.require(decimal, parser);
        }
        if (key instanceof byte[] bytes) {
            ExactBase64.require(bytes, name, parser, type);
        }
        SameTime.require(key, name, parser);
        if (DistinctKeys.areNeededFor(type)) {
            DistinctKeys.require(key, type, context);
        }
        return key;
    }

    private static boolean isSame(Object key, String name) {
        if (key instanceof Double || key instanceof Float) {
            return isSameNumber((Number) key, name);
        }
        if (isWhole(key)) {
            return name.equals(key.toString());
        }
        if (key instanceof Locale locale) {
            return ExactLocale.isSame(locale, name);
        }
        if (key instanceof Month month) {
            return name.equals(month.name());
        }
        // Capitals are another way to write the same.
        return !(key instanceof UUID) || name.equalsIgnoreCase(key.toString());
    }

    private static boolean isWhole(Object key) {
        return key instanceof Integer
                || key instanceof Long
                || key instanceof Short
                || key instanceof Byte
                || key instanceof BigInteger;
    }

    /** Whether the key, written in as few digits as distinguish it from its neighbours, is the number that was sent. */
    private static boolean isSameNumber(Number key, String name) {
        try {
            return Double.isFinite(key.doubleValue())
                    && new BigDecimal(name).compareTo(new BigDecimal(key.toString())) == 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
