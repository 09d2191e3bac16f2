// A place that soon is full: a small file system, or where none can be mounted a limit on the size of files.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder, type Scope, type ServerOptions } from './process.js'

export interface SmallDisk {
  /** How it is made small, for the test's output. */
  readonly kind: 'tmpfs' | 'ulimit'
  /** With what to start the server so that it keeps its data there. */
  readonly options: Pick<ServerOptions, 'dataDir' | 'shell'>
  /** Makes room. @param pid the server's process */
  free(pid: number): void
}

/**
 * A disk with room for `bytes`, and for as many more once it was freed.
 * @throws Error when neither a file system can be mounted nor a running process' limit be raised
 */
export function smallDisk(scope: Scope, bytes: number): SmallDisk {
  return mountedDisk(scope, bytes) ?? limitedDisk(scope, bytes)
}

/** A tmpfs with a ballast file, which root can mount; undefined for others. */
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

/** A soft limit on the size of each file; a write beyond it fails, since the signal that would come with it is ignored. */
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
