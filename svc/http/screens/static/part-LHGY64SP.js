var n=({name:o,trigger:e,conditions:t,steps:r})=>({name:o,trigger:e,conditions:t,steps:r});export{n as a};
