import test from 'ava'
import { Destinations } from '../../../actors/outgoing/destinations.js'
import { targetFault } from '../../../http/webhooks/webhooks.js'

const open = new Destinations({ allow: [], checks: [], isLocalServer: true })
const addresses: Readonly<Record<string, readonly string[]>> = {
  'inside.example': ['10.0.0.7'],
  'both.example': ['10.0.0.7', '93.184.216.34'],
  'outside.example': ['93.184.216.34']
}
const faultOf = (url: string, destinations = open): Promise<string | undefined> =>
  targetFault(url, destinations, async host => addresses[host] ?? Promise.reject(new Error('not found')))

test('a webhook goes to http and https URLs without credentials and fragments', async t => {
  t.is(await faultOf('https://outside.example/a?b=c'), undefined)
  t.is(await faultOf('http://93.184.216.34:8080/'), undefined)
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['', /^URL must be an absolute URL/],
    ['/hook', /^URL must be an absolute URL/],
    ['ftp://outside.example/', /^URL must begin with http/],
    ['javascript:alert(1)', /^URL must begin with http/],
    ['https://user:secret@outside.example/', /^URL must hold no user name/],
    ['https://outside.example/#a', /^URL must hold no fragment/]
  ]
  for (const [url, fault] of wrong) t.regex((await faultOf(url)) ?? '', fault, url)
})

test('where outgoing.allow keeps requests from is refused, in every form of writing', async t => {
  for (const host of [
    '127.0.0.1',
    '2130706433',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '169.254.169.254',
    'inside.example'
  ])
    t.regex((await faultOf(`http://${host}/`)) ?? '', /^URL must lead to an address .*outgoing\.allow/, host)
  t.is(await faultOf('http://both.example/'), undefined)
  const inside = new Destinations({ allow: ['10.0.0.0/8'], checks: [], isLocalServer: false })
  t.is(await faultOf('http://inside.example/', inside), undefined)
  t.regex((await faultOf('http://outside.example/', inside)) ?? '', /outgoing\.allow/)
})

test('a name that cannot be resolved now is taken: each delivery is checked again', async t => {
  t.is(await faultOf('https://later.example/'), undefined)
})
