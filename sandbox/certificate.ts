// A self-signed certificate for 127.0.0.1, made on the spot: the few lines of DER (ITU-T X.690) that X.509 needs.
import { generateKeyPairSync, sign } from 'node:crypto';

export interface Certificate {
  readonly cert: string; // PEM; also the authority to trust
  readonly key: string; // PEM, PKCS #8
}

const tlv = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Buffer[]): Buffer => tlv(0x30, ...parts);
const set = (...parts: readonly Buffer[]): Buffer => tlv(0x31, ...parts);
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));
const utf8 = (text: string): Buffer => tlv(0x0c, Buffer.from(text));
const utcTime = (text: string): Buffer => tlv(0x17, Buffer.from(text));
const bits = (content: Buffer): Buffer => tlv(0x03, Buffer.from([0]), content);
const octets = (content: Buffer): Buffer => tlv(0x04, content);
const integer = (...bytes: readonly number[]): Buffer => tlv(0x02, Buffer.from(bytes));
const TRUE = Buffer.from([0x01, 0x01, 0xff]);

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const BASIC_CONSTRAINTS = oid('551d13');
const SUBJECT_ALT_NAME = oid('551d11');

/** Valid from 2020 to 2049, for the address 127.0.0.1 and the name `localhost`; also good as a client's. */
export function selfSigned(name = 'test'): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(set(sequence(COMMON_NAME, utf8(name))));
  const names = sequence(tlv(0x87, Buffer.from([127, 0, 0, 1])), tlv(0x82, Buffer.from('localhost')));
  const body = sequence(
    tlv(0xa0, integer(2)), // version 3
    integer(1, ...crypto.getRandomValues(new Uint8Array(8))),
    ECDSA_WITH_SHA256,
    subject,
    sequence(utcTime('200101000000Z'), utcTime('491231235959Z')),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(
      0xa3,
      sequence(
        sequence(BASIC_CONSTRAINTS, TRUE, octets(sequence(TRUE))),
        sequence(SUBJECT_ALT_NAME, octets(names)),
      ),
    ),
  );
  const der = sequence(body, ECDSA_WITH_SHA256, bits(sign('sha256', body, privateKey)));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
