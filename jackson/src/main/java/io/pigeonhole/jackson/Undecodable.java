package io.pigeonhole.jackson;

import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.ValueInstantiationException;

/** Says why a document could not be read: where, and what was expected, but none of its values, nor the keys of maps. */
final class Undecodable {
    private Undecodable() {}

    static IllegalArgumentException of(JacksonException failure, String type) {
        String place = failure.getPath().stream().map(Undecodable::step).collect(Collectors.joining());
        String field = place.startsWith(".") ? place.substring(1) : place;
        return new IllegalArgumentException("the document is no " + type + ": " + (field.isEmpty() ? "" : field + ": ")
                + reason(failure) + place(failure.getLocation()));
    }

    private static String step(JacksonException.Reference step) {
        if (step.getPropertyName() == null) {
            return "[" + step.getIndex() + "]";
        }
        return isOfMap(step.from()) ? "[key]" : "." + step.getPropertyName();
    }

    private static boolean isOfMap(@Nullable Object from) {
        return from instanceof Map || (from instanceof Class<?> type && Map.class.isAssignableFrom(type));
    }

    private static String reason(JacksonException failure) {
        if (failure instanceof RefusedValueException) {
            return failure.getOriginalMessage();
        }
        if (failure instanceof ValueInstantiationException refused && refused.getCause() != null) {
            // What the type itself says.
            return refused.getCause().toString();
        }
        if (failure instanceof MismatchedInputException mismatch) {
            return mismatch(mismatch);
        }
        if (failure instanceof InvalidDefinitionException definition) {
            return withoutValue(definition.getOriginalMessage());
        }
        if (failure instanceof InputCoercionException coercion) {
            return "the number does not fit into " + name(coercion.getTargetType());
        }
        if (failure instanceof StreamReadException malformed) {
            return malformed.getOriginalMessage().startsWith("Duplicate")
                    ? "a name stands twice in an object"
                    : "it is not well-formed JSON";
        }
        return failure.getClass().getSimpleName();
    }

    /** Jackson says what is wrong with the type, and at the end which text or number it should have become the type. */
    private static String withoutValue(String message) {
        int value = message.indexOf(" value (");
        return value < 0 ? message : message.substring(0, value);
    }

    private static String mismatch(MismatchedInputException mismatch) {
        if (mismatch.getOriginalMessage().startsWith("Missing")) {
            return "is absent, and a primitive cannot say so";
        }
        JsonToken token = mismatch.getCurrentToken();
        return name(mismatch.getTargetType()) + " is not read from " + (token == null ? "this" : kind(token));
    }

    private static String kind(JsonToken token) {
        return switch (token) {
            case VALUE_STRING -> "this text";
            case VALUE_NUMBER_INT -> "this whole number";
            case VALUE_NUMBER_FLOAT -> "this number with a fraction or an exponent";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            case VALUE_NULL -> "null";
            case START_ARRAY, END_ARRAY -> "an array";
            case START_OBJECT, END_OBJECT, PROPERTY_NAME -> "an object";
            default -> "this";
        };
    }

    private static String name(@Nullable Class<?> type) {
        return type == null ? "the type" : type.getSimpleName();
    }

    private static String place(@Nullable TokenStreamLocation location) {
        return location == null || location.getLineNr() < 1
                ? ""
                : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
    }
}
