import test from 'ava'
import { policyRoutes } from '../../../http/routes/acl/policies.js'
import {
  redirectTargetOf,
  originFormOf,
  pathsWithoutSlash,
  unknownPathResponse
} from '../../../http/wire/path-normalization.js'

const location = (method: string, url: string): string | undefined =>
  unknownPathResponse(method, url)?.headers[1]

test('doubled slashes and dots lead to the clean path, with the query kept', t => {
  t.is(location('GET', '/v1//catalog/nodes'), '/v1/catalog/nodes')
  t.is(location('PUT', '/v1/kv/a//b?flags=1'), '/v1/kv/a/b?flags=1')
  t.is(location('GET', '/v1/kv/./a/../b'), '/v1/kv/b')
  t.is(location('GET', '/v1/kv/a/..'), '/v1/kv/')
  t.is(location('GET', '/..'), '/')
})

test('a clean path is no stray, whatever its query and its keys hold', t => {
  for (const url of ['/v1/kv/a/', '/v1/kv/a.b/..c', '/v1/kv/a?x=//', '/v1/kv/a%2F%2Fb', '/v1/kv/?keys'])
    t.is(unknownPathResponse('GET', url), undefined, url)
})

test('characters that cannot be printed are refused, however they are written', t => {
  for (const url of ['/v1/kv/%00', '/v1/kv/a%0Ab', '/v1/kv/%7f'])
    t.is(unknownPathResponse('GET', url)?.status, 400, url)
  t.is(unknownPathResponse('GET', '/v1/kv/a?x=%00'), undefined)
  t.is(unknownPathResponse('GET', '/v1/kv/%zz'), undefined)
})

test('a reader of pages gets a link that cannot be broken out of', t => {
  t.is(redirectTargetOf('GET', '/a"<b>').body, '<a href="/a&quot;&lt;b&gt;">Moved Permanently</a>.\n\n')
  t.is(redirectTargetOf('PUT', '/a').body, '')
})

test('only paths that lack nothing but their last slash, and are no endpoint themselves, lead to one', t => {
  t.deepEqual(pathsWithoutSlash(policyRoutes), ['/v1/acl/policy/name'])
})

test('a target that names its server leads where its path does', t => {
  t.is(originFormOf('http://annals:8500/v1/kv/a?raw'), '/v1/kv/a?raw')
  t.is(originFormOf('HTTPS://annals?x'), '/?x')
  t.is(originFormOf('http://annals'), '/')
  for (const url of ['/v1/kv/http://x', '*', '/']) t.is(originFormOf(url), url)
})
