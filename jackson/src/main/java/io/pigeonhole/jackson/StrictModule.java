package io.pigeonhole.jackson;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Calendar;
import java.util.Date;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.jdk.EnumDeserializer;
import tools.jackson.databind.deser.std.FromStringDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.type.ArrayType;
import tools.jackson.databind.type.CollectionType;
import tools.jackson.databind.type.MapType;

/** What no setting of Jackson refuses. */
final class StrictModule extends SimpleModule {
    private static final long serialVersionUID = 1L;
    private static final Set<Class<?>> FRACTIONS = Set.of(double.class, Double.class, float.class, Float.class);
    private static final Set<Class<?>> BYTES = Set.of(byte.class, Byte.class);
    private static final Set<Class<?>> WITH_LIMITS = Set.of(double.class, float.class, byte.class);

    StrictModule() {
        super("pigeonhole-strict");
        setDeserializerModifier(new Modifier());
        addDeserializer(OptionalDouble.class, new FiniteOptional());
    }

    private static final class Modifier extends ValueDeserializerModifier {
        private static final long serialVersionUID = 1L;

        @Override
        public ValueDeserializer<?> modifyDeserializer(
                DeserializationConfig config, BeanDescription.Supplier bean, ValueDeserializer<?> deserializer) {
            Class<?> type = bean.getBeanClass();
            if (FRACTIONS.contains(type)) {
                return new FiniteNumber(deserializer);
            }
            if (BYTES.contains(type)) {
                return new SignedByte(deserializer);
            }
            if (type == BigDecimal.class || type == Number.class) {
                return new BoundedDecimal(deserializer);
            }
            if (type == ByteBuffer.class) {
                return new ExactBase64(deserializer);
            }
            if (LegacyTime.is(type)) {
                return new TimeAsText(deserializer);
            }
            if (InetAddress.class.isAssignableFrom(type)) {
                return new LiteralAddress(deserializer);
            }
            if (type == Class.class) {
                return new NoClass(deserializer);
            }
            if (deserializer instanceof FromStringDeserializer) {
                return new TextOnly(deserializer);
            }
            if (isTime(type)) {
                return new TimeAsText(deserializer);
            }
            return deserializer instanceof BeanDeserializerBase properties
                    ? SingleNumber.of(properties, new StrictBean(properties))
                    : deserializer;
        }

        @Override
        public ValueDeserializer<?> modifyEnumDeserializer(
                DeserializationConfig config,
                JavaType type,
                BeanDescription.Supplier bean,
                ValueDeserializer<?> deserializer) {
            if (isTime(type.getRawClass())) {
                return new TimeAsText(deserializer);
            }
            return deserializer instanceof EnumDeserializer names
                    ? new ExactEnum(names)
                    : new EnumOfCreator(deserializer);
        }

        @Override
        public ValueDeserializer<?> modifyArrayDeserializer(
                DeserializationConfig config,
                ArrayType type,
                BeanDescription.Supplier bean,
                ValueDeserializer<?> deserializer) {
            Class<?> element = type.getContentType().getRawClass();
            return WITH_LIMITS.contains(element) ? new NumberArray(deserializer, element) : deserializer;
        }

        @Override
        public ValueDeserializer<?> modifyCollectionDeserializer(
                DeserializationConfig config,
                CollectionType type,
                BeanDescription.Supplier bean,
                ValueDeserializer<?> deserializer) {
            return Set.class.isAssignableFrom(type.getRawClass())
                    ? new DistinctElements(deserializer, type)
                    : deserializer;
        }

        @Override
        public ValueDeserializer<?> modifyMapDeserializer(
                DeserializationConfig config,
                MapType type,
                BeanDescription.Supplier bean,
                ValueDeserializer<?> deserializer) {
            return DistinctKeys.areNeededFor(type.getKeyType().getRawClass())
                            || SortedMap.class.isAssignableFrom(type.getRawClass())
                    ? new DistinctKeys(deserializer)
                    : deserializer;
        }

        @Override
        public KeyDeserializer modifyKeyDeserializer(
                DeserializationConfig config, JavaType type, KeyDeserializer deserializer) {
            Class<?> raw = type.getRawClass();
            return raw.isAssignableFrom(String.class) ? deserializer : new StrictKey(raw, deserializer);
        }

        private static boolean isTime(Class<?> type) {
            return "java.time".equals(type.getPackageName())
                    || Date.class.isAssignableFrom(type)
                    || Calendar.class.isAssignableFrom(type);
        }
    }
}
