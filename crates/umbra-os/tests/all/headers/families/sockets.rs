//! Flags of sockets.

use super::super::row::{Word, bits, call, cut, numbers, value};
use super::{Family, tried};
use Word::{Ints, Number, Out, PairOne, PairTwo, PipeOut, Result, Socket, Text, Tried};

const ZERO: Word = Number(0);
const ONE: Word = Number(1);
const TWO: Word = Number(2);
/// Room for a value, as `getsockopt` takes it.
const ROOM: Word = Ints(&[Number(16)]);
const LEVEL: Word = Number(libc::SOL_SOCKET as i64);

pub(super) const FAMILIES: &[Family] = &[
    tried(
        &["SHUT_"],
        &[
            numbers(&[
                value(libc::SYS_write, &[PairTwo, Text("ab"), TWO]),
                value(libc::SYS_shutdown, &[PairOne, Tried(0)]),
                value(libc::SYS_sendto, &[PairTwo, Text("ab"), TWO, Number(0x4000), ZERO, ZERO]),
                value(libc::SYS_sendto, &[PairOne, Text("ab"), TWO, Number(0x4000), ZERO, ZERO]),
                value(libc::SYS_read, &[PairOne, Out(8), Number(8)]),
                value(libc::SYS_read, &[PairOne, Out(8), Number(8)]),
                value(libc::SYS_read, &[PairTwo, Out(8), Number(8)]),
            ]),
            numbers(&[value(libc::SYS_shutdown, &[Socket, Tried(0)])]),
            numbers(&[value(libc::SYS_shutdown, &[PipeOut, Tried(0)])]),
        ],
    ),
    tried(
        &["SOCK_"],
        &[
            bits(&[
                value(libc::SYS_socket, &[ONE, Tried(1), ZERO]),
                value(libc::SYS_fcntl, &[Result(0), Number(libc::F_GETFL as i64)]),
                value(libc::SYS_fcntl, &[Result(0), Number(libc::F_GETFD as i64)]),
            ]),
            numbers(&[value(libc::SYS_socket, &[ONE, Tried(0), ZERO])]),
            numbers(&[value(libc::SYS_socket, &[ONE, ONE, Tried(0)])]),
            bits(&[value(libc::SYS_socketpair, &[ONE, Tried(1), ZERO, Out(8)])]),
            numbers(&[value(libc::SYS_socketpair, &[ONE, Tried(0), ZERO, Out(8)])]),
            numbers(&[value(libc::SYS_socketpair, &[ONE, ONE, Tried(0), Out(8)])]),
            cut(&[value(libc::SYS_accept4, &[Socket, ZERO, ZERO, Tried(0)])]),
        ],
    ),
    tried(
        &["AF_", "PF_"],
        &[
            numbers(&[call(libc::SYS_socket, &[Tried(0), ONE, ZERO])]),
            numbers(&[call(libc::SYS_socketpair, &[Tried(0), ONE, ZERO, Out(8)])]),
        ],
    ),
    tried(
        &["SO_"],
        &[
            numbers(&[value(libc::SYS_getsockopt, &[PairOne, LEVEL, Tried(0), Out(4), ROOM])]),
            numbers(&[value(libc::SYS_getsockopt, &[Socket, LEVEL, Tried(0), Out(4), ROOM])]),
            cut(&[value(
                libc::SYS_setsockopt,
                &[PairOne, LEVEL, Tried(0), Ints(&[ONE]), Number(4)],
            )]),
        ],
    ),
    tried(
        &["SOL_"],
        &[numbers(&[value(libc::SYS_getsockopt, &[PairOne, Tried(0), Number(3), Out(4), ROOM])])],
    ),
    tried(
        &["MSG_"],
        &[
            bits(&[
                value(libc::SYS_sendto, &[PairTwo, Text("ab"), TWO, Tried(0), ZERO, ZERO]),
                value(libc::SYS_read, &[PairOne, Out(8), Number(8)]),
            ]),
            bits(&[
                value(libc::SYS_write, &[PairTwo, Text("ab"), TWO]),
                value(libc::SYS_recvfrom, &[PairOne, Out(8), Number(8), Tried(0), ZERO, ZERO]),
                value(libc::SYS_recvfrom, &[PairOne, Out(8), Number(8), Number(0x40), ZERO, ZERO]),
            ]),
            bits(&[value(
                libc::SYS_recvfrom,
                &[PairOne, Out(8), Number(8), Tried(0x40), ZERO, ZERO],
            )]),
            bits(&[
                call(libc::SYS_close, &[PairOne]),
                value(libc::SYS_sendto, &[PairTwo, Text("ab"), TWO, Tried(0), ZERO, ZERO]),
            ]),
        ],
    ),
];
