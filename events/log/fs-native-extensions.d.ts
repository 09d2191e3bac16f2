// The package ships no types: those of what is used here.
declare module 'fs-native-extensions' {
  interface LockOptions {
    readonly shared?: boolean
  }
  /** An open file description lock (Linux, macOS) or `LockFileEx` (Windows). False when another holds it. */
  export function tryLock(fd: number, offset: number, length: number, options?: LockOptions): boolean
  export function unlock(fd: number, offset: number, length: number): void
}
