// What every way of sharing a log keeps, over etcd.
import { sharedLogContract } from '../cluster/shared-log.contract.js'
import { etcdFor, logAt, urlsOf } from './support.js'

sharedLogContract(async t => {
  const etcd = await etcdFor(t)
  return etcd && (() => logAt(t, urlsOf(etcd)))
})
