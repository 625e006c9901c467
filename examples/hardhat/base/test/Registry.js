const assert = require("node:assert");
const { network } = require("hardhat");

describe("Registry", () => {
  it("is compiled", async () => {
    const { bytecode } = await hre.artifacts.readArtifact("Registry");
    const [from] = await network.provider.send("eth_accounts");
    const data = bytecode + "00".repeat(32);
    const hash = await network.provider.send("eth_sendTransaction", [{ from, data }]);
    const receipt = await network.provider.send("eth_getTransactionReceipt", [hash]);
    assert.equal(receipt.status, "0x1");
  });
});
