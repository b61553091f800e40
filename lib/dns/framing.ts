// DNS packets on a TCP stream: each behind its length in two bytes (RFC 1035 §4.2.2).

export function frame(packet: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(packet.length);
  return Buffer.concat([length, packet]);
}

/** The whole packets at the beginning of a stream, and what is left of it. */
export function splitFrames(bytes: Buffer): { readonly packets: readonly Buffer[]; readonly rest: Buffer } {
  const packets: Buffer[] = [];
  let rest = bytes;
  while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
    const end = 2 + rest.readUInt16BE(0);
    packets.push(rest.subarray(2, end));
    rest = rest.subarray(end);
  }
  return { packets, rest };
}
