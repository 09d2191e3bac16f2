// How this machine reaches etcd, according to its settings.
import { readFileSync } from 'node:fs'
import { EtcdAdministration } from '../../../events/log/etcd/administration.js'
import type { EtcdAddress } from '../../../events/log/etcd/client.js'
import type { Settings } from '../../settings/settings.js'
import { etcdEndpoints } from './member-list.js'

const read = (file: string | undefined): Buffer | undefined =>
  file === undefined ? undefined : readFileSync(file)

/** @throws file system errors of the certificates */
export const etcdAddress = (settings: Pick<Settings, 'cluster' | 'data_dir'>): EtcdAddress => {
  const { ca_file, cert_file, key_file, user: name, password } = settings.cluster.etcd
  const tls = () => {
    const [ca, cert, key] = [read(ca_file), read(cert_file), read(key_file)]
    return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
  }
  // A file that is missing ends the start.
  tls()
  return {
    endpoints: () => etcdEndpoints(settings),
    tls,
    ...(name === undefined || password === undefined ? {} : { user: { user: name, password } })
  }
}

/** Passes an administration of etcd to `use`, and closes it. @throws EtcdFailure */
export const withEtcd = async <T>(
  settings: Pick<Settings, 'cluster' | 'data_dir'>,
  use: (etcd: EtcdAdministration) => Promise<T>
): Promise<T> => {
  const etcd = new EtcdAdministration(etcdAddress(settings))
  try {
    return await use(etcd)
  } finally {
    etcd.close()
  }
}
