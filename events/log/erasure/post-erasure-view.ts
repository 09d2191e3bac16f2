// A folder as it will be when what is being erased in it is erased: for readers of one whose writer failed meanwhile.
import type { Disk, DiskFile } from '../disk-port.js'
import type { Rewrite } from './journal.js'

/** A folder as it will be when rewrites are done, for reading. */
export const postErasureView = (disk: Disk, rewrites: readonly Rewrite[]): Disk => {
  if (rewrites.length === 0) return disk
  const open: Disk['open'] = async (name, access) => {
    const file = await disk.open(name, access)
    const own = rewrites.filter(each => each.name === name)
    return own.length === 0 ? file : withRewrites(file, own)
  }
  return {
    path: disk.path,
    open,
    make: () => disk.make(),
    list: () => disk.list(),
    rename: (from, to) => disk.rename(from, to),
    unlink: name => disk.unlink(name),
    flushNames: () => disk.flushNames(),
    folder: name => disk.folder(name),
    free: () => disk.free(),
    network: () => disk.network(),
    watch: (name, changed) => disk.watch(name, changed)
  }
}

const withRewrites = (file: DiskFile, rewrites: readonly Rewrite[]): DiskFile => ({
  size: () => file.size(),
  read: async (target, position) => {
    const got = await file.read(target, position)
    for (const { offset, bytes } of rewrites) {
      const from = Math.max(offset, position)
      const to = Math.min(offset + bytes.length, position + got)
      if (from < to) target.set(bytes.subarray(from - offset, to - offset), from - position)
    }
    return got
  },
  write: (source, position) => file.write(source, position),
  allocate: (position, length) => file.allocate(position, length),
  flush: () => file.flush(),
  truncate: size => file.truncate(size),
  lock: (place, mode) => file.lock(place, mode),
  unlock: place => file.unlock(place),
  isNamed: name => file.isNamed(name),
  close: () => file.close()
})
