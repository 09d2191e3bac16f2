// What workers need of the machine and of the other settings.
import { workersSocket, type Settings } from './settings.js'

/** Longer paths of sockets Linux does not take. */
const LONGEST_PATH = 107

/** Since 22.12, and in 23 since 23.1, Node lets several processes listen on a port. */
const sharesPorts = (): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return (
    process.platform === 'linux' &&
    (major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12))
  )
}

/** Checks them. `refuse` throws, with the key and the rule. */
export const checkWorkers = (
  { workers, data_dir: dataDir }: Settings,
  refuse: (path: string, rule: string) => never
): void => {
  if (workers === 0) return
  if (!sharesPorts())
    refuse('workers', 'be 0 here: several processes share a port on Linux alone, from Node 22.12 on')
  const socket = workersSocket(dataDir)
  if (Buffer.byteLength(socket) > LONGEST_PATH)
    refuse(
      'data_dir',
      `be shorter with workers, which need a socket in it: ${socket} may have ${LONGEST_PATH} bytes`
    )
}
