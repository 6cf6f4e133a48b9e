import { dlopen, ptr } from 'bun:ffi'
import { readFileSync, writeFileSync } from 'node:fs'
import { systemCallFilter } from './system-calls.ts'

const PR_SET_PDEATHSIG = 1
const PR_SET_DUMPABLE = 4
const PR_SET_NO_NEW_PRIVS = 38
const SIGKILL = 9
const SECCOMP_SET_MODE_FILTER = 1
/** The filter holds for the threads that run already. */
const SECCOMP_FILTER_FLAG_TSYNC = 1
const SECCOMP_CALL: Readonly<Record<string, number>> = { x64: 317, arm64: 277 }

const RLIMIT_FSIZE = 1
const RLIMIT_DATA = 2
const RLIMIT_CORE = 4
const PRIO_PGRP = 1
const LOW_PRIORITY = 10

const libraryOfC = () => {
  const symbols = {
    prctl: { args: ['i32', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    setpriority: { args: ['i32', 'u32', 'i32'], returns: 'i32' },
    setrlimit: { args: ['i32', 'ptr'], returns: 'i32' },
    syscall: { args: ['i64', 'u64', 'u64', 'ptr'], returns: 'i64' },
  } as const
  try {
    return dlopen('libc.so.6', symbols).symbols
  } catch {
    return dlopen(`libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`, symbols).symbols
  }
}

let library: ReturnType<typeof libraryOfC> | undefined
const c = () => {
  library ??= libraryOfC()
  return library
}

const mustBeZero = (what: string, result: number | bigint) => {
  if (Number(result) !== 0) throw new Error(`${what} failed`)
}

function limit(what: string, resource: number, value: number): void {
  mustBeZero(what, c().setrlimit(resource, ptr(new BigUint64Array([BigInt(value), BigInt(value)]))))
}

/** Mapped memory that counts for RLIMIT_DATA: the engine reserves gigabytes of addresses at its start. */
function mappedBytes(): number {
  const [, kilobytes = ''] = /^VmData:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** Ends with its parent, gives way to the service, and is the first that the kernel ends when memory is short. */
export function subordinate(parentId: number, maxMemoryBytes: number): void {
  if (process.platform !== 'linux') return
  mustBeZero('prctl', c().prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
  // The parent ended before the line above.
  if (process.ppid !== parentId) process.exit(1)
  mustBeZero('setpriority', c().setpriority(PRIO_PGRP, 0, LOW_PRIORITY))
  writeFileSync('/proc/self/oom_score_adj', '1000')
  limit('RLIMIT_CORE', RLIMIT_CORE, 0)
  limit('RLIMIT_FSIZE', RLIMIT_FSIZE, 0)
  limit('RLIMIT_DATA', RLIMIT_DATA, mappedBytes() + maxMemoryBytes)
}

/**
 * From here on this process can compute and write to its open descriptors, and nothing else: no file, socket, program
 * or other process. Throws where the kernel refuses.
 */
export function confine(): void {
  removeGlobals()
  if (process.platform === 'linux') filterSystemCalls()
}

function filterSystemCalls(): void {
  const filter = systemCallFilter(process.arch, process.pid)
  const call = SECCOMP_CALL[process.arch]
  if (!filter || call === undefined) throw new Error(`no filter of system calls for ${process.arch}`)
  mustBeZero('PR_SET_DUMPABLE', c().prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
  mustBeZero('PR_SET_NO_NEW_PRIVS', c().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
  // struct sock_fprog: the count of instructions, and their address.
  const program = new BigUint64Array([BigInt(filter.length / 8), BigInt(ptr(filter))])
  mustBeZero('seccomp', c().syscall(call, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, ptr(program)))
}

/** Where the kernel has no filter, this alone keeps code off the network. */
function removeGlobals(): void {
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'Worker', 'BroadcastChannel']) {
    Object.defineProperty(globalThis, name, { value: undefined })
  }
}
