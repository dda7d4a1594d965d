package io.pigeonhole.jackson;

import java.time.LocalDate;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.introspect.AnnotationIntrospectorPair;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * The mapper of whoever brings none: a value is read as what was sent, or refused. What a type says by annotations is the type's
 * decision.
 */
final class StrictMapper {
    /** Built when it is first asked for: whoever brings a mapper needs none. */
    static final JsonMapper INSTANCE = build();

    private StrictMapper() {}

    private static JsonMapper build() {
        return JsonMapper.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                // Where the type does not say how exact it is (Object, Number, a tree), nothing is rounded.
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                // The offset that was sent stays.
                .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .disable(DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
                // No 30th of February, and no part of a date that is dropped.
                .defaultLeniency(false)
                .withCoercionConfigDefaults(coercions -> Arrays.stream(CoercionInputShape.values())
                        .forEach(shape -> coercions.setCoercion(shape, CoercionAction.Fail)))
                .withCoercionConfig(
                        LogicalType.Float,
                        coercions -> coercions.setCoercion(CoercionInputShape.Integer, CoercionAction.TryConvert))
                // TimeAsText lets a number through only where the shape says that it counts days.
                .withCoercionConfig(
                        LocalDate.class,
                        coercions -> coercions.setCoercion(CoercionInputShape.Integer, CoercionAction.TryConvert))
                .annotationIntrospector(
                        new AnnotationIntrospectorPair(new JacksonAnnotationIntrospector(), new RequiredPrimitives()))
                .nodeFactory(new BoundedDecimal.Nodes())
                .addModule(new StrictModule())
                .build();
    }

    /** A primitive cannot say that it is absent, so an absent one is not made a zero. Setters and fields keep what the type has set. */
    private static final class RequiredPrimitives extends NopAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
            boolean isPrimitiveParameter =
                    member instanceof AnnotatedParameter && member.getRawType().isPrimitive();
            return isPrimitiveParameter ? true : null;
        }
    }
}
