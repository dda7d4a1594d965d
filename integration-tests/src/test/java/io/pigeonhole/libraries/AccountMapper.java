package io.pigeonhole.libraries;

import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/** Accounts by MyBatis. */
interface AccountMapper {
    @Update("UPDATE account SET balance = balance - #{amount} WHERE id = #{account}")
    void pay(Payment payment);

    @Select("SELECT balance FROM account WHERE id = #{account}")
    long balance(Payment payment);
}
