/**
 * The system calls of a confined process: memory, threads, time, and reads and writes of open descriptors. None opens
 * a file or a socket, starts a program or reaches another process. The numbers are those of x86-64 and AArch64; an
 * absent one does not exist there.
 */
const ALLOWED: Readonly<Record<string, readonly [x64: number, arm64?: number]>> = {
  read: [0, 63],
  write: [1, 64],
  close: [3, 57],
  fstat: [5, 80],
  poll: [7],
  lseek: [8, 62],
  mmap: [9, 222],
  mprotect: [10, 226],
  munmap: [11, 215],
  brk: [12, 214],
  rt_sigaction: [13, 134],
  rt_sigprocmask: [14, 135],
  rt_sigreturn: [15, 139],
  pread64: [17, 67],
  readv: [19, 65],
  writev: [20, 66],
  sched_yield: [24, 124],
  mremap: [25, 216],
  mincore: [27, 232],
  madvise: [28, 233],
  nanosleep: [35, 101],
  getpid: [39, 172],
  exit: [60, 93],
  uname: [63, 160],
  getrusage: [98, 165],
  sysinfo: [99, 179],
  getuid: [102, 174],
  geteuid: [107, 175],
  rt_sigsuspend: [130, 133],
  sigaltstack: [131, 132],
  sched_getparam: [143, 121],
  sched_getscheduler: [145, 120],
  sched_get_priority_max: [146, 125],
  sched_get_priority_min: [147, 126],
  gettid: [186, 178],
  futex: [202, 98],
  sched_getaffinity: [204, 123],
  restart_syscall: [219, 128],
  clock_gettime: [228, 113],
  clock_getres: [229, 114],
  clock_nanosleep: [230, 115],
  exit_group: [231, 94],
  epoll_wait: [232],
  epoll_ctl: [233, 21],
  ppoll: [271, 73],
  set_robust_list: [273, 99],
  epoll_pwait: [281, 22],
  timerfd_create: [283, 85],
  timerfd_settime: [286, 86],
  eventfd2: [290, 19],
  epoll_create1: [291, 20],
  getrandom: [318, 278],
  membarrier: [324, 283],
  rseq: [334, 293],
  epoll_pwait2: [441, 441],
}

/** Numbers of system calls whose arguments the filter checks. */
const CHECKED = {
  clone: [56, 220],
  prctl: [157, 167],
  tgkill: [234, 131],
  prlimit64: [302, 261],
  clone3: [435, 435],
} as const satisfies Record<string, readonly [number, number]>

const ARCHITECTURES: Readonly<Record<string, { column: 0 | 1; audit: number }>> = {
  x64: { column: 0, audit: 0xc000003e },
  arm64: { column: 1, audit: 0xc00000b7 },
}

const EPERM = 1
const ENOSYS = 38
const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const fail = (errno: number) => 0x00050000 | errno

const CLONE_THREAD = 0x00010000
const PR_SET_NAME = 15
/** `PR_SET_VMA`, which names a mapping. */
const PR_SET_VMA = 0x53564d41

/** Offsets in `struct seccomp_data`; arguments are little-endian. */
const NUMBER = 0
const ARCHITECTURE = 4
const low = (argument: number) => 16 + argument * 8
const high = (argument: number) => low(argument) + 4

type Instruction = readonly [code: number, yes: number, no: number, value: number]
const load = (offset: number): Instruction => [0x20, 0, 0, offset]
/** Skips instructions where the loaded value is the other one, or where it is not. */
const ifEqual = (value: number, yes: number, no: number): Instruction => [0x15, yes, no, value]
const ifAnyBit = (bits: number, yes: number, no: number): Instruction => [0x45, yes, no, bits]
const answer = (value: number): Instruction => [0x06, 0, 0, value]

/** Runs the check where the number is that of the call; each check answers on every path. */
const where = (number: number, check: readonly Instruction[]): Instruction[] => [
  ifEqual(number, 0, check.length),
  ...check,
]

/**
 * A program of the Berkeley Packet Filter for `seccomp`; undefined where the architecture has no numbers here.
 * A forbidden call fails with EPERM.
 */
export function systemCallFilter(architecture: string, processId: number): Uint8Array | undefined {
  const known = ARCHITECTURES[architecture]
  if (!known) return undefined
  const { column, audit } = known
  const numbers = Object.values(ALLOWED).flatMap((call) => call[column] ?? [])
  return encode([
    load(ARCHITECTURE),
    ifEqual(audit, 1, 0),
    answer(KILL_PROCESS),
    load(NUMBER),
    ...numbers.flatMap((number) => where(number, [answer(ALLOW)])),
    // The library of C then starts a thread by `clone`, whose flags a filter can read.
    ...where(CHECKED.clone3[column], [answer(fail(ENOSYS))]),
    ...where(CHECKED.clone[column], [load(low(0)), ifAnyBit(CLONE_THREAD, 0, 1), answer(ALLOW), answer(fail(EPERM))]),
    // The engine stops its own threads by signals.
    ...where(CHECKED.tgkill[column], [load(low(0)), ifEqual(processId, 0, 1), answer(ALLOW), answer(fail(EPERM))]),
    ...where(CHECKED.prctl[column], [
      load(low(0)),
      ifEqual(PR_SET_NAME, 1, 0),
      ifEqual(PR_SET_VMA, 0, 1),
      answer(ALLOW),
      answer(fail(EPERM)),
    ]),
    // Limits can be read, not set.
    ...where(CHECKED.prlimit64[column], [
      load(low(2)),
      ifEqual(0, 0, 3),
      load(high(2)),
      ifEqual(0, 0, 1),
      answer(ALLOW),
      answer(fail(EPERM)),
    ]),
    answer(fail(EPERM)),
  ])
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8)
  const view = new DataView(bytes.buffer)
  for (const [at, [code, yes, no, value]] of program.entries()) {
    view.setUint16(at * 8, code, true)
    view.setUint8(at * 8 + 2, yes)
    view.setUint8(at * 8 + 3, no)
    view.setUint32(at * 8 + 4, value, true)
  }
  return bytes
}
