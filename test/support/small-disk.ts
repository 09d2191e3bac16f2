// A disk that fills quickly: a small file system, or a limit on the file size where none can be mounted.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder, type Scope, type ServerOptions } from './process.js'

export interface SmallDisk {
  /** The limitation, for the test's output. */
  readonly kind: 'tmpfs' | 'ulimit'
  /** Options of a server that stores its data there. */
  readonly options: Pick<ServerOptions, 'dataDir' | 'shell'>
  /** Frees space. @param pid the server's process */
  free(pid: number): void
}

/**
 * Creates a disk with room for `bytes`, and for as many more after `free`.
 * @throws Error when neither a file system can be mounted nor the limit of a running process be raised
 */
export function smallDisk(scope: Scope, bytes: number): SmallDisk {
  return mountedDisk(scope, bytes) ?? limitedDisk(scope, bytes)
}

/** Mounts a tmpfs with a ballast file, which requires root; otherwise undefined. */
export function mountedDisk(scope: Scope, bytes: number): SmallDisk | undefined {
  const folder = temporaryFolder(scope)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${2 * bytes}`, 'tmpfs', folder])
  if (mounted.status !== 0) return undefined
  scope.teardown(() => void spawnSync('umount', ['--lazy', folder]))
  const ballast = join(folder, 'ballast')
  writeFileSync(ballast, Buffer.alloc(bytes))
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir)
  return { kind: 'tmpfs', options: { dataDir }, free: () => rmSync(ballast) }
}

/** Sets a soft limit on the size of each file. Its signal is ignored, so a write beyond it fails. */
export function limitedDisk(scope: Scope, bytes: number): SmallDisk {
  const blocks = Math.floor(bytes / 512)
  return {
    kind: 'ulimit',
    options: { dataDir: temporaryFolder(scope), shell: `trap '' XFSZ; ulimit -S -f ${blocks}` },
    free: pid => {
      const raised = spawnSync('prlimit', ['--pid', String(pid), '--fsize=unlimited:'])
      if (raised.status !== 0) throw new Error(`prlimit: ${raised.error?.message ?? String(raised.stderr)}`)
    }
  }
}
